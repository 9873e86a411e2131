/* Header directives of program files: the facts that a driver gives the 3D class beside the code.
 * In: the tokens of one directive, later the assembled code. Out: struct program_header.
 * docs/programs.md is the manual. Knows nothing of instruction syntax.
 */
#include "shader/isa/source.h"

#include "shader/program.h"

enum { NO_SLOT = 0xff, POSITION_SLOTS = 4, DEFAULT_FIRST_SLOT = 4, FACING_WORD = 0xff };
enum { MAX_LOCAL = 0x10000 }; /* bytes */
enum {
    VP = 1 << PROGRAM_VP,
    GP = 1 << PROGRAM_GP,
    FP = 1 << PROGRAM_FP,
    CP = 1 << PROGRAM_CP,
    TCP = 1 << PROGRAM_TCP,
};

struct directive {
    struct header_builder *b;
    struct program_header *h;
    const struct token *t; /* next argument */
    struct source_error *error;
};

typedef bool directive_fn(struct directive *d);

/* ---- Arguments */

static bool need_number(struct directive *d, const char *what, uint64_t min, uint64_t max,
                        uint32_t *value) {
    *value = 0;
    char shown[64];
    if (d->t->kind != TOKEN_NUMBER)
        return source_fail(d->error, d->t, "expected %s, not %s", what, token_show(d->t, shown));
    if (d->t->value < min || d->t->value > max)
        return source_fail(d->error, d->t, "%s must be %llu to %llu", what, (unsigned long long)min,
                           (unsigned long long)max);
    *value = (uint32_t)d->t->value;
    d->t++;
    return true;
}

static bool need_word(struct directive *d, const char *what) {
    char shown[64];
    return d->t->kind == TOKEN_WORD ||
           source_fail(d->error, d->t, "expected %s, not %s", what, token_show(d->t, shown));
}

static bool need_end(struct directive *d) {
    char shown[64];
    return d->t->kind == TOKEN_END ||
           source_fail(d->error, d->t, "unexpected %s, expected the end of the line",
                       token_show(d->t, shown));
}

/* Component letters out of xyzw as a mask. */
static bool need_components(struct directive *d, uint32_t *mask) {
    char shown[64];
    *mask = 0;
    for (uint32_t i = 0; d->t->kind == TOKEN_WORD && i < d->t->length; i++) {
        const char *at = memchr("xyzw", d->t->text[i], 4);
        if (!at) {
            *mask = 0;
            break;
        }
        *mask |= 1u << (at - "xyzw");
    }
    if (!*mask)
        return source_fail(d->error, d->t, "expected components out of xyzw, not %s",
                           token_show(d->t, shown));
    d->t++;
    return true;
}

/* o[offset] as a word number. */
static bool need_output_word(struct directive *d, uint32_t *word) {
    uint32_t offset;
    if (!token_is(d->t, "o") || !token_mark(d->t + 1, '['))
        return source_fail(d->error, d->t, "expected o[offset]");
    d->t += 2;
    if (!need_number(d, "the offset", 0, 0x1fc, &offset))
        return false;
    if (offset % 4)
        return source_fail(d->error, d->t - 1, "o[] offsets are multiples of 4");
    if (!token_mark(d->t, ']'))
        return source_fail(d->error, d->t, "expected ]");
    d->t++;
    *word = offset / 4;
    return true;
}

/* ---- All types */

#define CHIPS "g80 g84 g200 mcp77 gt215 gf100 gk104 g64"

static bool set_variant(struct directive *d) {
    const struct token *first = d->t;
    char names[64] = "";
    bool listed = false;
    do {
        bool known = false;
        if (!need_word(d, "a chip (" CHIPS ")"))
            return false;
        for (int v = 0; v < ISA_VARIANTS; v++) {
            const char *name = isa_variant_name((enum isa_variant)v);
            if (token_is(d->t, name)) {
                known = true;
                listed |= (enum isa_variant)v == d->b->target.variant;
                size_t used = strlen(names);
                snprintf(names + used, sizeof names - used, " %s", name);
            }
        }
        if (!known)
            return source_fail(d->error, d->t, "unknown chip; it is one of " CHIPS);
        d->t++;
    } while (d->t->kind != TOKEN_END);
    return listed || source_fail(d->error, first, "this program is for%s, not for %s", names,
                                 isa_variant_name(d->b->target.variant));
}

static bool set_regs(struct directive *d) {
    uint32_t n;
    if (!need_number(d, "a number of registers", 1, 128, &n))
        return false;
    d->h->reg_count = (uint16_t)n;
    return true;
}

static bool set_local(struct directive *d) {
    d->b->has_local = true;
    return need_number(d, "a size in bytes", 0, MAX_LOCAL, &d->h->local_size);
}

static bool set_results(struct directive *d) {
    uint32_t n;
    if (!need_number(d, "a number of results", 0, 128, &n))
        return false;
    d->b->has_results = true;
    d->h->result_count = (uint16_t)n;
    d->h->fp_results = (uint8_t)n;
    return true;
}

/* ---- Vertex and geometry programs */

static bool set_attr(struct directive *d) {
    uint32_t n, mask = 0xf;
    if (!need_number(d, "an attribute number", 0, 15, &n))
        return false;
    if (d->t->kind != TOKEN_END && !need_components(d, &mask))
        return false;
    uint32_t *word = &d->h->attr_enable[n / 8], shift = n % 8 * 4;
    if (*word >> shift & 0xf)
        return source_fail(d->error, d->t - 1, "attribute %u is already enabled", n);
    *word |= mask << shift;
    return true;
}

static bool set_builtin(struct directive *d) {
    static const struct {
        const char *name;
        uint8_t types;
        uint32_t bits;
    } builtins[] = {
        {"vertex_id", VP, 0x1},
        {"instance_id", VP | GP, 0x10},
        {"primitive_id", GP, 0x100},
        {"vertex_id_from_first", VP, 0x1001},
    };
    do {
        uint32_t bits = 0;
        for (size_t i = 0; i < sizeof builtins / sizeof *builtins; i++)
            if (token_is(d->t, builtins[i].name) && builtins[i].types >> d->b->target.type & 1)
                bits = builtins[i].bits;
        if (!bits)
            return source_fail(d->error, d->t,
                               d->b->target.type == PROGRAM_GP
                                   ? "expected primitive_id or instance_id"
                                   : "expected vertex_id, vertex_id_from_first or instance_id");
        d->h->builtin_enable |= bits;
        d->t++;
    } while (d->t->kind != TOKEN_END);
    return true;
}

struct output_kind {
    const char *name;
    uint8_t slots;    /* slots that the output fills; 0: as many as the directive says, or 1 */
    uint8_t constant; /* 1 + n: gives constant n instead of an o[] word; 0: an o[] word */
    int slot_member;  /* byte in program_header for the first slot, or -1 */
};

#define H(m) (int)offsetof(struct program_header, m)
static const struct output_kind output_kinds[] = {
    {"position", POSITION_SLOTS, 0, -1},
    {"varying", 0, 0, -1},
    {"front_color0", 4, 0, H(slot_color[0][0])},
    {"front_color1", 4, 0, H(slot_color[0][1])},
    {"back_color0", 4, 0, H(slot_color[1][0])},
    {"back_color1", 4, 0, H(slot_color[1][1])},
    {"point_size", 1, 0, H(slot_point_size)},
    {"layer", 1, 0, H(slot_layer)},
    {"viewport", 1, 0, H(slot_viewport)},
    {"primitive_id", 1, 0, H(slot_primitive_id)},
    {"clip", 0, 0, H(slot_clip)},
    {"zero", 0, 1, -1},
    {"one", 0, 2, -1},
};

static const struct output_kind *find_output(struct directive *d) {
    for (size_t i = 0; i < sizeof output_kinds / sizeof *output_kinds; i++)
        if (token_is(d->t, output_kinds[i].name))
            return &output_kinds[i];
    source_fail(
        d->error, d->t,
        "unknown output; it is one of position varying front_color0 front_color1 back_color0 "
        "back_color1 point_size layer viewport primitive_id clip zero one");
    return NULL;
}

/* Tesla's result maps have TESLA_SLOTS slots, and can name the first o[] words only. */
enum { TESLA_SLOTS = 72, MAPPED_WORDS_VP = 0x40, MAPPED_WORDS_GP = 0x80 };

static uint32_t mapped_words(enum program_type type) {
    return type == PROGRAM_VP ? MAPPED_WORDS_VP : MAPPED_WORDS_GP;
}

static bool check_output(struct directive *d, const struct output_kind *kind,
                         const struct token *at, uint32_t count) {
    struct program_header *h = d->h;
    if (!strcmp(kind->name, "position") && h->map_size != 0)
        return source_fail(d->error, at, "the position must be the first output");
    if (!strcmp(kind->name, "clip") && count > 8)
        return source_fail(d->error, at, "there are at most 8 clip distances");
    if (kind->slot_member >= 0 && ((uint8_t *)h)[kind->slot_member] != NO_SLOT)
        return source_fail(d->error, at, "%s is already an output", kind->name);
    if (h->map_size + count > TESLA_SLOTS)
        return source_fail(d->error, at, "the result map has only %d slots", TESLA_SLOTS);
    return true;
}

static bool add_output(struct directive *d) {
    const struct token *at = d->t;
    const struct output_kind *kind = find_output(d);
    uint32_t word = 0, count = kind && kind->slots ? kind->slots : 1;
    if (!kind)
        return false;
    d->t++;
    if (!kind->constant && !need_output_word(d, &word))
        return false;
    if (!kind->slots && d->t->kind != TOKEN_END &&
        !need_number(d, "a number of words", 1, TESLA_SLOTS, &count))
        return false;
    if (!check_output(d, kind, at, count))
        return false;
    const uint32_t mapped = mapped_words(d->b->target.type);
    if (!kind->constant && word + count > mapped)
        return source_fail(d->error, at, "the map reaches o[0x0] to o[0x%x]", mapped * 4 - 4);
    if (kind->slot_member >= 0)
        ((uint8_t *)d->h)[kind->slot_member] = d->h->map_size;
    if (!strcmp(kind->name, "clip"))
        d->h->clip_count = (uint8_t)count;
    for (uint32_t i = 0; i < count; i++)
        d->h->result_map[d->h->map_size++] =
            kind->constant ? (uint8_t)(RESULT_ZERO + kind->constant - 1) : (uint8_t)(word + i);
    d->b->has_output = true;
    return true;
}

static bool set_primitive(struct directive *d) {
    static const char *const names[] = {NULL, "points", "line_strip", "triangle_strip"};
    for (uint8_t i = 1; i < 4; i++) {
        if (token_is(d->t, names[i])) {
            d->h->gp_out_primitive = i;
            d->t++;
            return true;
        }
    }
    return source_fail(d->error, d->t, "expected points, line_strip or triangle_strip");
}

static bool set_vertices(struct directive *d) {
    const bool patch = d->b->target.type == PROGRAM_TCP;
    uint32_t n;
    if (!need_number(d, "a number of vertices", 1, patch ? 32 : 1024, &n))
        return false;
    if (patch)
        d->h->patch_vertices = (uint8_t)n;
    else
        d->h->gp_max_vertices = (uint16_t)n;
    d->b->has_vertices = true;
    return true;
}

static bool set_invocations(struct directive *d) {
    uint32_t n;
    if (!need_number(d, "a number of runs", 1, 32, &n))
        return false;
    d->h->gp_invocations = (uint8_t)n;
    return true;
}

/* ---- Fragment programs */

struct interpolant_layout {
    uint32_t position, nonflat, flat, first;
    bool perspective_free[128]; /* words that are not flat, without perspective */
    uint8_t point[128]; /* words that are not flat: 1 + component of the point coordinate, or 0 */
};

static bool has_room(struct directive *d, const struct interpolant_layout *l,
                     const struct token *key, uint32_t n) {
    return l->nonflat + l->flat + n <= 64 ||
           source_fail(d->error, key, "v[] has room for 64 words");
}

static bool add_words(struct directive *d, struct interpolant_layout *l, const struct token *key) {
    uint32_t n;
    if (!need_number(d, "a number of words", 0, 64, &n))
        return false;
    if (!has_room(d, l, key, n))
        return false;
    if (token_is(key, "flat")) {
        l->flat += n;
        return true;
    }
    if (l->flat)
        return source_fail(d->error, key, "flat words come last");
    for (uint32_t i = 0; i < n; i++)
        l->perspective_free[l->nonflat++] = token_is(key, "noperspective");
    return true;
}

/* Adds words that are components of the point coordinate (x, y, 0, 1). x and y are the place of the
 * pixel inside the point. */
static bool add_point(struct directive *d, struct interpolant_layout *l, const struct token *key) {
    uint32_t mask;
    if (!need_components(d, &mask) || !has_room(d, l, key, (uint32_t)__builtin_popcount(mask)))
        return false;
    if (l->flat)
        return source_fail(d->error, key, "flat words come last");
    for (uint8_t i = 0; i < 4; i++)
        if (mask >> i & 1)
            l->point[l->nonflat++] = i + 1;
    return true;
}

#define INTERPOLANT_KEYS "position=, smooth=, noperspective=, point=, flat= or first="

static bool interpolant_key(struct directive *d, struct interpolant_layout *l) {
    const struct token *key = d->t;
    if (!need_word(d, INTERPOLANT_KEYS))
        return false;
    if (!token_mark(key + 1, '='))
        return source_fail(d->error, key + 1, "expected = after %.*s",
                           key->length > 40 ? 40 : (int)key->length, key->text);
    d->t += 2;
    if (token_is(key, "position"))
        return need_components(d, &l->position);
    if (token_is(key, "first"))
        return need_number(d, "a slot", 0, TESLA_SLOTS - 1, &l->first);
    if (token_is(key, "smooth") || token_is(key, "noperspective") || token_is(key, "flat"))
        return add_words(d, l, key);
    if (token_is(key, "point"))
        return add_point(d, l, key);
    return source_fail(d->error, key, "expected " INTERPOLANT_KEYS);
}

static uint32_t pack_interpolants(uint32_t position, uint32_t nonflat, uint32_t flat,
                                  uint32_t first) {
    return (position | 8) << 24 | nonflat << 16 | first << 8 | (nonflat + flat);
}

static bool set_interpolants(struct directive *d) {
    struct interpolant_layout l = {.position = 8, .first = DEFAULT_FIRST_SLOT};
    const struct token *at = d->t;
    while (d->t->kind != TOKEN_END)
        if (!interpolant_key(d, &l))
            return false;
    if (l.first + l.nonflat + l.flat > 128)
        return source_fail(d->error, at, "slots end at 127");
    d->h->interpolant_ctrl = pack_interpolants(l.position, l.nonflat, l.flat, l.first);
    for (uint32_t i = 0, slot = l.first; i < l.nonflat; i++, slot++) {
        if (l.perspective_free[i])
            d->h->noperspective[slot / 32] |= 1u << slot % 32;
        d->h->point_coord[slot / 8] |= (uint32_t)l.point[i] << 4 * (slot % 8);
    }
    d->b->has_interpolants = true;
    return true;
}

static bool set_targets(struct directive *d) {
    return need_number(d, "a number of targets", 1, 8, &d->b->targets);
}

static bool set_depth(struct directive *d) {
    d->b->depth = true;
    return true;
}

static bool set_sample_mask(struct directive *d) {
    d->h->fp_control |= FP_EXPORTS_SAMPLE_MASK;
    return true;
}

static bool set_kill(struct directive *d) {
    d->h->fp_control |= FP_USES_KILL;
    return true;
}

/* ---- Compute programs */

static bool set_shared(struct directive *d) {
    const bool tesla = isa_set_of(d->b->target.variant) == SET_TESLA;
    d->b->has_shared = true;
    return need_number(d, "a size in bytes", 0, tesla ? 0x4000 : 0xc000, &d->h->shared_size);
}

static bool set_barriers(struct directive *d) {
    uint32_t n;
    if (!need_number(d, "a number of barriers", 0, 16, &n))
        return false;
    d->h->barrier_count = (uint8_t)n;
    d->b->has_barriers = true;
    return true;
}

/* Header directives with the types of programs that have them, for Tesla, Fermi and generic64.
 * Other facts of a Fermi's header come from its code (sph_make()). */
static const struct {
    const char *name;
    uint8_t types[ISA_SETS];
    directive_fn *run;
} directives[] = {
    {".variant", {ALL_TYPES, ALL_TYPES, ALL_TYPES}, set_variant},
    {".regs", {ALL_TYPES, ALL_TYPES, ALL_TYPES}, set_regs},
    {".local", {ALL_TYPES, ALL_TYPES, ALL_TYPES}, set_local},
    {".attr", {VP}, set_attr},
    {".builtin", {VP | GP}, set_builtin},
    {".results", {VP | GP | FP}, set_results},
    {".output", {VP | GP}, add_output},
    {".primitive", {GP, GP}, set_primitive},
    {".vertices", {GP, GP | TCP}, set_vertices},
    {".invocations", {0, GP}, set_invocations},
    {".interpolants", {FP}, set_interpolants},
    {".targets", {FP, FP}, set_targets},
    {".depth", {FP, FP}, set_depth},
    {".sample_mask", {0, FP}, set_sample_mask},
    {".kill", {FP, FP}, set_kill},
    {".shared", {CP, CP, CP}, set_shared},
    {".barriers", {CP, CP, CP}, set_barriers},
};

void header_begin(struct header_builder *b, struct program_header *header,
                  struct isa_target target) {
    memset(b, 0, sizeof *b);
    b->header = header;
    b->target = target;
    b->targets = 1;
    header->slot_point_size = header->slot_layer = header->slot_viewport = NO_SLOT;
    header->slot_primitive_id = header->slot_clip = NO_SLOT;
    memset(header->slot_color, NO_SLOT, sizeof header->slot_color);
}

int header_directive(struct header_builder *b, const struct token *t, struct source_error *error) {
    struct directive d = {b, b->header, t + 1, error};
    for (size_t i = 0; i < sizeof directives / sizeof *directives; i++) {
        if (!token_is(t, directives[i].name))
            continue;
        if (!(directives[i].types[isa_set_of(b->target.variant)] >> b->target.type & 1)) {
            source_fail(error, t, "%s has no meaning in a .%s program", directives[i].name,
                        program_type_name(b->target.type));
            return -1;
        }
        return directives[i].run(&d) && need_end(&d) ? 1 : -1;
    }
    return 0;
}

/* ---- Defaults from the code */

struct code_facts {
    uint32_t out_words, local_bytes, shared_bytes, emits, barriers, varying_words, first_flat;
    bool discards;
};

static void raise(uint32_t *v, uint32_t to) {
    if (*v < to)
        *v = to;
}

static void note_operand(struct code_facts *f, const struct operand *o) {
    uint32_t end = (o->value & 0xffff) + type_width(o->mem) / 8;
    if (o->file == FILE_OUT)
        raise(&f->out_words, (end + 3) / 4);
    else if (o->file == FILE_LOCAL && !o->areg)
        raise(&f->local_bytes, end < MAX_LOCAL ? end : MAX_LOCAL);
    else if (o->file == FILE_SHARED && !o->areg)
        raise(&f->shared_bytes, end);
}

static void note_interp(struct code_facts *f, const struct op *op) {
    uint32_t word = op->src[0].value / 4;
    if (word == FACING_WORD)
        return;
    raise(&f->varying_words, word + 1);
    if (op->interp_mode == INTERP_FLAT && word < f->first_flat)
        f->first_flat = word;
}

static void note_op(struct code_facts *f, const struct op *op) {
    note_operand(f, &op->dst);
    note_operand(f, &op->src[0]);
    f->emits += op->emit;
    f->discards |= op->code == OP_DISCARD;
    if (op->code == OP_BAR)
        raise(&f->barriers, op->bar_id + 1u);
    if (op->code == OP_INTERP)
        note_interp(f, op);
}

static void finish_outputs(struct header_builder *b, const struct code_facts *f) {
    struct program_header *h = b->header;
    uint32_t words = f->out_words;
    for (unsigned i = 0; i < h->map_size; i++)
        if (h->result_map[i] < RESULT_ZERO)
            raise(&words, h->result_map[i] + 1u);
    if (!b->has_results)
        h->result_count = (uint16_t)words;
    if (!b->has_output)
        for (unsigned i = 0; i < h->result_count && i < TESLA_SLOTS; i++)
            h->result_map[h->map_size++] = (uint8_t)i;
    if (b->target.type == PROGRAM_GP) {
        if (!h->gp_out_primitive)
            h->gp_out_primitive = 3;
        if (!b->has_vertices)
            h->gp_max_vertices = (uint16_t)(f->emits < 1 ? 1 : f->emits > 1024 ? 1024 : f->emits);
    }
}

static void finish_fragment(struct header_builder *b, const struct code_facts *f) {
    struct program_header *h = b->header;
    h->fp_control |= (b->targets > 1 ? FP_MULTIPLE_RESULTS : 0) | (b->depth ? FP_EXPORTS_Z : 0) |
                     (f->discards ? FP_USES_KILL : 0);
    if (!b->has_results)
        h->fp_results = (uint8_t)(4 * b->targets + b->depth);
    if (b->has_interpolants)
        return;
    uint32_t words = f->varying_words ? f->varying_words - 1 : 0; /* v[0x0] is 1/w */
    uint32_t nonflat = f->first_flat <= words && f->first_flat > 0 ? f->first_flat - 1 : words;
    h->interpolant_ctrl = pack_interpolants(8, nonflat, words - nonflat, DEFAULT_FIRST_SLOT);
}

/* Fermi and generic64: sets the defaults that do not depend on the code. */
static void finish_other_set(struct header_builder *b) {
    struct program_header *h = b->header;
    h->shared_size = (h->shared_size + 0x3f) & ~0x3fu;
    if (b->target.type == PROGRAM_FP) {
        h->fp_control |= (b->targets > 1 ? FP_MULTIPLE_RESULTS : 0) | (b->depth ? FP_EXPORTS_Z : 0);
        h->fp_targets = (uint32_t)((UINT64_C(1) << 4 * b->targets) - 1);
    }
    if (b->target.type == PROGRAM_GP && !h->gp_out_primitive)
        h->gp_out_primitive = 3;
    if (b->target.type == PROGRAM_GP && !h->gp_max_vertices)
        h->gp_max_vertices = 1024;
    if (b->target.type == PROGRAM_TCP && !h->patch_vertices)
        h->patch_vertices = 3;
}

void header_finish(struct header_builder *b, const uint32_t *words, size_t count, uint32_t base) {
    struct code_facts f = {.first_flat = UINT32_MAX};
    struct op op;
    if (isa_set_of(b->target.variant) != SET_TESLA) {
        finish_other_set(b);
        return;
    }
    struct program_header *h = b->header;
    for (size_t i = 0; i < count; i += op.words) {
        isa_decode(b->target, words + i, count - i, base + 4 * (uint32_t)i, &op);
        note_op(&f, &op);
    }
    if (!b->has_local)
        h->local_size = (f.local_bytes + 15) & ~15u;
    switch (b->target.type) {
    case PROGRAM_VP:
    case PROGRAM_GP:
        finish_outputs(b, &f);
        break;
    case PROGRAM_FP:
        finish_fragment(b, &f);
        break;
    default:
        if (!b->has_shared)
            h->shared_size = ((f.shared_bytes < 16 ? 16 : f.shared_bytes) + 0x3f) & ~0x3fu;
        h->shared_size = (h->shared_size + 0x3f) & ~0x3fu;
        if (!b->has_barriers)
            h->barrier_count = (uint8_t)f.barriers;
    }
}
