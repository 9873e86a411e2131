/* What a program may read: how much of each constant buffer, which textures and samplers. In:
 * decoded ops. Out: facts a snapshot uses to capture no more than is needed. Must not know state.
 */
#include "pipeline/context_private.h"

#include <string.h>

static void add_operand(struct program_facts *f, const struct operand *o) {
    if (o->file != FILE_CONST)
        return;
    uint32_t *extent = &f->const_extent[o->index & (STATE_CONST_SLOTS - 1)];
    /* 16-bit addresses; an access is at most 16 bytes wide */
    const uint32_t end =
        o->areg || (o->flags & OPERAND_POSTINC) ? 0x10000 : (o->value & 0xffff) + 16;
    *extent = end > *extent ? end : *extent;
}

void program_facts_update(struct program_facts *f, struct program *p) {
    if (f->program == p)
        return;
    program_unref(f->program);
    memset(f, 0, sizeof *f);
    if (!p)
        return;
    f->program = program_ref(p);
    for (uint32_t i = 0; i < p->word_count; i++)
        for (int k = 0; k < 3; k++)
            add_operand(f, &p->ops[i].src[k]);
    for (uint32_t i = 0; i < p->tex_slot_count; i++) {
        if (p->tex_slot[i].tic < STATE_TEXTURES)
            f->textures |= 1u << p->tex_slot[i].tic;
        if (p->tex_slot[i].tsc < STATE_TEXTURES)
            f->samplers |= 1u << p->tex_slot[i].tsc;
    }
}
