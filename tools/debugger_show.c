/* Prints for the debugger: the warp's place, the changes of a step, registers, lanes, code, memory
 * and the draw's state. In: struct debugger. Out: text on stdout. Changes nothing.
 */
#include "tools/debugger.h"
#include "base/bits.h"

#include "shader/isa/isa.h"
#include "tools/state_text.h"

#include <math.h>

void print_word(FILE *out, uint32_t word, char format) {
    const float f = bits_float(word);
    switch (format) {
    case 'x':
        fprintf(out, "0x%08x", word);
        break;
    case 'd':
        fprintf(out, "%d", (int32_t)word);
        break;
    case 'u':
        fprintf(out, "%u", word);
        break;
    case 'f':
        fprintf(out, "%.9g", (double)f);
        break;
    default:
        fprintf(out, "0x%08x", word);
        if (bits_look_float(word))
            fprintf(out, " (%.7g)", (double)f);
        else if (word && word < 65536)
            fprintf(out, " (%u)", word);
        break;
    }
}

/* Writes lanes like "0-3,7". */
static void print_lane_set(FILE *out, lane_mask m) {
    const char *comma = "";
    for (unsigned i = 0; i < LANES; i++) {
        unsigned last = i;
        if (!(m >> i & 1))
            continue;
        while (last + 1 < LANES && m >> (last + 1) & 1)
            last++;
        fprintf(out, last > i ? "%s%u-%u" : "%s%u", comma, i, last);
        comma = ",";
        i = last;
    }
    if (!m)
        fputs("none", out);
}

static struct isa_target target_of(const struct debugger *d) {
    return (struct isa_target){d->program->variant, d->program->type, SYNTAX_ENVYAS};
}

static const struct op *op_at(const struct debugger *d, uint32_t address) {
    const uint32_t i = program_word(d->program, address);
    return i < d->program->word_count ? &d->program->ops[i] : NULL;
}

/* Returns the source line of an address; 0 if the program has no source. */
static uint32_t line_of(const struct debugger *d, uint32_t address) {
    const uint32_t i = program_word(d->program, address);
    return d->program->lines && i < d->program->word_count ? d->program->lines[i] : 0;
}

bool show_source(const struct debugger *d, uint32_t address, int around) {
    const uint32_t here = line_of(d, address);
    const char *text = d->program->text;
    if (!here || !text)
        return false;
    for (uint32_t line = 1; text && *text; line++) {
        const size_t length = strcspn(text, "\n");
        if (!around || (line + (uint32_t)around >= here && line <= here + (uint32_t)around))
            printf("%s%4u  %.*s\n", line == here ? "=>" : "  ", line, (int)length, text);
        text = text[length] ? text + length + 1 : NULL;
    }
    return true;
}

bool show_glsl(const struct debugger *d) {
    const char *text = d->glsl;
    for (unsigned line = 1; text && *text; line++) {
        const size_t length = strcspn(text, "\n");
        printf("  %4u  %.*s\n", line, (int)length, text);
        text += length + (text[length] == '\n');
    }
    return d->glsl;
}

static void print_op(const struct debugger *d, uint32_t address) {
    char text[256] = "(outside the program)";
    const struct op *op = op_at(d, address);
    if (op)
        isa_print(target_of(d), op, text, sizeof text);
    printf("0x%06x  %s", address, text);
}

void show_here(const struct debugger *d) {
    const struct warp *w = stepper_warp(d->stepper);
    char text[128];
    switch (stepper_status(d->stepper)) {
    case WARP_DONE:
        printf("the warp has ended after %llu instructions\n",
               (unsigned long long)stepper_count(d->stepper));
        return;
    case WARP_ERROR:
        warp_error_print(&w->error, text, sizeof text);
        printf("the warp has trapped: %s\n", text);
        return;
    case WARP_WAITING:
        printf("the warp waits at barrier %u for others of its block\n", w->wait_barrier);
        return;
    case WARP_RUNNING:
        break;
    }
    printf("%llu: ", (unsigned long long)stepper_count(d->stepper));
    print_op(d, w->pc);
    printf("\n    active ");
    print_lane_set(stdout, w->active);
    if (!(w->active >> d->lane & 1))
        printf(" (not lane %u)", d->lane);
    if (line_of(d, w->pc))
        printf(", %s:%u", d->program->name, line_of(d, w->pc));
    putchar('\n');
}

static void show_row(const char *format, uint32_t number, uint32_t now) {
    printf("    ");
    printf(format, number);
    printf(" = ");
    print_word(stdout, now, 0);
    putchar('\n');
}

static void print_flags(unsigned flags) {
    for (int i = 3; i >= 0; i--)
        putchar(flags >> i & 1 ? "ZSCO"[i] : '-');
}

void show_changes(const struct debugger *d, const struct warp *before) {
    const struct warp *w = stepper_warp(d->stepper);
    const unsigned lane = d->lane;
    for (uint32_t i = 0; i < d->program->header.reg_count && i < WARP_REGS; i++)
        if (w->r[i][lane] != before->r[i][lane])
            show_row("$r%u", i, w->r[i][lane]);
    for (uint32_t i = 0; i < PRED_TRUE; i++)
        if ((w->fermi.p[i] ^ before->fermi.p[i]) >> lane & 1)
            printf("    $p%u = %u\n", i, w->fermi.p[i] >> lane & 1);
    for (uint32_t i = 1; i < 5; i++)
        if (w->a[i][lane] != before->a[i][lane])
            show_row("$a%u", i, w->a[i][lane] & 0xffff);
    for (uint32_t i = 0; i < 4; i++) {
        const unsigned flags = flags_of_lane(&w->c[i], lane);
        if (flags != flags_of_lane(&before->c[i], lane)) {
            printf("    $c%u = ", i);
            print_flags(flags);
            putchar('\n');
        }
    }
    if (w->dead & ~before->dead) {
        printf("    discarded: lanes ");
        print_lane_set(stdout, w->dead & ~before->dead);
        putchar('\n');
    }
}

void show_place(const struct debugger *d, const struct place *p, char format) {
    char name[32];
    uint32_t word;
    place_name(p, name, sizeof name);
    if (!place_read(d->stepper, p, d->lane, &word)) {
        printf("%s: this program has no such place\n", name);
        return;
    }
    printf("%s = ", name);
    if (p->kind == PLACE_C)
        print_flags(word);
    else
        print_word(stdout, word, format);
    putchar('\n');
}

void show_code(const struct debugger *d, uint32_t address, int count) {
    const uint32_t pc = stepper_warp(d->stepper)->pc;
    for (int i = 0; i < count; i++) {
        const struct op *op = op_at(d, address);
        if (!op)
            break;
        printf(address == pc ? "=> " : "   ");
        print_op(d, address);
        putchar('\n');
        address += 4u * op->words;
    }
}

void show_memory(const struct debugger *d, uint64_t address, int count, char format) {
    for (int i = 0; i < count; i++) {
        const void *p = memory_at(d->memory, address + 4ull * (unsigned)i, 4);
        uint32_t word;
        if (i % 4 == 0)
            printf("%s0x%010llx:", i ? "\n" : "",
                   (unsigned long long)(address + 4ull * (unsigned)i));
        if (!p) {
            printf(" not allocated");
            break;
        }
        memcpy(&word, p, 4);
        putchar(' ');
        print_word(stdout, word, format ? format : 'x');
    }
    putchar('\n');
}

void show_registers(const struct debugger *d) {
    const struct warp *w = stepper_warp(d->stepper);
    const struct place flags[] = {{.kind = PLACE_C, .row = 0},
                                  {.kind = PLACE_C, .row = 1},
                                  {.kind = PLACE_C, .row = 2},
                                  {.kind = PLACE_C, .row = 3}};
    for (uint32_t i = 0; i < d->program->header.reg_count && i < WARP_REGS; i++)
        show_row("$r%-3u", i, w->r[i][d->lane]);
    for (uint32_t i = 1; i < 5; i++)
        show_row("$a%-3u", i, w->a[i][d->lane] & 0xffff);
    for (int i = 0; i < 4; i++)
        show_place(d, &flags[i], 0);
}

void show_stack(const struct debugger *d) {
    static const char *const why[] = {
        [STACK_BRANCH] = "take the other way of a branch at",
        [STACK_CALL] = "return from a call to",
        [STACK_CALL_LIM] = "return from a limited call to",
        [STACK_PREBREAK] = "go on behind the loop when all have left it, at",
        [STACK_QUADON] = "were active before quadon",
        [STACK_JOINAT] = "meet again at",
        [STACK_PRECONT] = "go on with the loop when all have come to its end, at",
        [STACK_LONGJMP] = "take a long jump to",
    };
    const struct warp *w = stepper_warp(d->stepper);
    if (!w->stack_top)
        printf("the stack is empty\n");
    for (uint32_t i = w->stack_top; i-- > 0;) {
        const struct stack_entry *e = &w->stack[i];
        printf("#%u lanes ", w->stack_top - 1 - i);
        print_lane_set(stdout, e->mask);
        printf(" %s", why[e->type]);
        if (e->type != STACK_QUADON)
            printf(" 0x%06x", e->pc);
        putchar('\n');
    }
}

static void show_mask(const char *what, lane_mask m) {
    if (!m)
        return;
    printf("%-10s ", what);
    print_lane_set(stdout, m);
    putchar('\n');
}

void show_lanes(const struct debugger *d) {
    const struct warp *w = stepper_warp(d->stepper);
    show_mask("active", w->active);
    show_mask("waiting", w->launched & ~w->active & ~w->exited & ~w->broke & ~w->returned);
    show_mask("left loop", w->broke);
    show_mask("returned", w->returned);
    show_mask("exited", w->exited & w->launched);
    show_mask("invisible", w->dead & w->launched); /* helper and discarded lanes */
    if (d->program->type == PROGRAM_FP)
        printf("lane %u is pixel %d,%d, of quad %u\n", d->lane,
               w->origin[0] + (int)floorf(w->x[d->lane]), w->origin[1] + (int)floorf(w->y[d->lane]),
               d->lane / 4);
    else if (d->program->type == PROGRAM_TCP || d->program->type == PROGRAM_TEP)
        printf("lane %u is %s %u of patch %u\n", d->lane,
               d->program->type == PROGRAM_TCP ? "output vertex" : "point", w->instance[d->lane],
               w->number[d->lane]);
    else if (w->number)
        printf("lane %u is %s %u\n", d->lane,
               d->program->type == PROGRAM_VP ? "vertex" : "primitive", w->number[d->lane]);
    show_stack(d);
}

/* Prints the a[] words that a Fermi's program wrote for the lane and for the lane's patch. */
static void show_words(const struct debugger *d) {
    const struct warp *w = stepper_warp(d->stepper);
    enum { WORDS = 256 };
    for (uint32_t word = 0, value; word < WORDS; word++)
        if (stepper_result(d->stepper, word, d->lane, &value))
            show_row("a[0x%x]", 4 * word, value);
    const uint32_t first =
        d->program->type == PROGRAM_TCP ? d->lane - w->instance[d->lane] : d->lane;
    for (uint32_t k = 0; w->patch && k < w->patch_count && w->instance; k++)
        show_row("patch a[0x%x]", 4 * k, w->patch[k][first]);
}

void show_result(const struct debugger *d) {
    const struct warp *w = stepper_warp(d->stepper);
    const struct program_header *h = &d->program->header;
    if (d->program->type == PROGRAM_GP)
        printf("emitted vertices: %u\n", stepper_emitted(d->stepper, d->lane));
    if (d->program->type == PROGRAM_FP) {
        const uint32_t outputs = h->fp_control & FP_MULTIPLE_RESULTS ? h->fp_results / 4u : 1;
        for (uint32_t i = 0; i < outputs && 4 * i + 3 < WARP_REGS; i++) {
            printf("colour %u:", i);
            for (uint32_t k = 0; k < 4; k++)
                printf(" %.7g", (double)bits_float(w->r[4 * i + k][d->lane]));
            putchar('\n');
        }
        if (w->dead >> d->lane & 1)
            printf("(discarded, or a helper)\n");
        return;
    }
    if (d->program->rows) {
        show_words(d);
        return;
    }
    for (uint32_t i = 0; w->out && i < w->out_count; i++)
        show_row("o[0x%x]", 4 * i, w->out[i][d->lane]);
}

void show_program(const struct debugger *d) {
    const struct program *p = d->program;
    printf("%s, %s: %u words at 0x%06x, %u registers, %u bytes of l[]\n", p->name,
           program_type_name(p->type), p->word_count, p->base, p->header.reg_count,
           p->header.local_size);
}

static void show_line(void *, const char *group, const char *name, const char *value) {
    printf("%-10s %-18s %s\n", group, name, value);
}

void show_state(const struct debugger *d) {
    state_text(d->state, show_line, NULL);
}

void show_textures(const struct debugger *d) {
    state_textures_text(d->state, d->memory, show_line, NULL);
}

void show_targets(const struct debugger *d) {
    state_targets_text(d->state, show_line, NULL);
}

void show_draws(const struct debugger *d) {
    if (d->draw)
        printf("draw %llu, of %llu so far\n", (unsigned long long)d->draw,
               (unsigned long long)d->draws);
    else
        printf("a compute grid, after %llu draws\n", (unsigned long long)d->draws);
}
