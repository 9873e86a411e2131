/* Finds the addresses of an instruction's memory operands without executing it. Tesla: 16-bit
 * addresses from $a, and $r for g[]. Fermi and generic64: addresses from $r, windows on s[] and
 * l[]. In: a warp before the instruction. Out: the accesses. Must not know who asks. Facts:
 * tesla-isa.md §2.4, §4.4; fermi-isa.md §2, §6.1.
 */
#include "shader/check/access.h"

#include "shader/fermi_texel.h"

struct finder {
    const struct warp *w;
    const struct warp_env *env;
    const struct op *op;
    lane_mask m;
    struct access *list;
    uint32_t count;
};

static unsigned bytes_of(const struct operand *o) {
    const unsigned type = o->mem != TYPE_NONE ? o->mem : o->type;
    return type == TYPE_B96 ? 12 : type_bytes(type);
}

static struct access *add(struct finder *f, const struct operand *o, enum access_kind kind) {
    struct access *a = &f->list[f->count++];
    memset(a, 0, sizeof *a);
    a->file = o->file;
    a->index = o->index;
    a->size = (uint8_t)bytes_of(o);
    a->kind = (uint8_t)kind;
    a->lanes = f->m;
    return a;
}

/* ---- Tesla ---- */

static uint64_t tesla_limit(const struct finder *f, const struct operand *o) {
    const struct warp *w = f->w;
    switch (o->file) {
    case FILE_CONST:
        return f->env->c[o->index & 15].size;
    case FILE_SHARED:
        return w->cta ? w->cta->s_size : 0;
    case FILE_LOCAL:
        return w->local_size;
    case FILE_ATTR:
        return 4ull * w->attr_count;
    case FILE_PRIM:
        return 4ull * w->prim_count;
    case FILE_OUT:
        return 4ull * w->out_count;
    default:
        return 0;
    }
}

/* The offset of an access in a 2D view. 2D views are block-linear; only whole tiles of a row exist
 * (tesla-3d.md §3). */
static uint64_t tile_offset(const struct global_view *g, uint64_t at, uint32_t size) {
    const uint32_t x = (at & 0xffff) & ~(size - 1), y = (uint32_t)at >> 16;
    const uint32_t rows = 4u << (g->block_height & 7);
    if ((x / 64 + 1) * 64 * rows > g->pitch)
        return UINT64_MAX - size;
    return (uint64_t)y / rows * g->pitch + x / 64 * 64 * rows + y % rows * 64 + x % 64;
}

static bool tile_is_outside(const struct global_view *g, uint64_t at, uint32_t size) {
    return tile_offset(g, at, size) + size > g->limit;
}

static void find_tesla_global(struct finder *f, const struct operand *o, enum access_kind kind) {
    static const struct global_view none;
    const struct global_view *g = f->env->g ? &f->env->g[o->index & 15] : &none;
    struct access *a = add(f, o, kind);
    if (kind == ACCESS_ATOMIC && a->size < 4)
        a->size = 4;
    a->limit = g->tiled ? UINT64_MAX : g->limit;
    for (lane_mask rest = f->m; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        const uint32_t at = f->w->r[source_row(f->env, o->value)][i];
        a->at[i] = g->tiled ? at : at & ~(uint32_t)(a->size - 1);
        const bool outside =
            g->tiled ? tile_is_outside(g, at, a->size) : a->at[i] + a->size > g->limit;
        a->outside |= (lane_mask)outside << i;
    }
}

static uint32_t tesla_address(const struct finder *f, const struct operand *o, int lane) {
    const uint32_t given = o->file == FILE_PRIM ? (o->value >> 2) * 0x20 : o->value;
    const uint32_t base = o->areg ? f->w->a[o->areg & 7][lane] : 0;
    return (base + (o->areg && o->flags & OPERAND_POSTINC ? 0 : given)) & 0xffff;
}

static void find_tesla(struct finder *f, const struct operand *o, enum access_kind kind) {
    if (o->file == FILE_GLOBAL) {
        find_tesla_global(f, o, kind);
        return;
    }
    struct access *a = add(f, o, kind);
    if (o->file == FILE_ATTR || o->file == FILE_PRIM || o->file == FILE_OUT ||
        f->op->code == OP_LD_LOCK)
        a->size = 4;
    if (f->op->code == OP_LD && o->file == FILE_ATTR)
        a->lanes &= (f->op->lane_mask4 & 15) * 0x11111111u;
    a->limit = tesla_limit(f, o);
    for (lane_mask rest = a->lanes; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        const uint32_t at = tesla_address(f, o, i);
        a->at[i] = o->file == FILE_PRIM ? 4ull * at : at & ~(uint32_t)(a->size - 1);
        a->outside |= (lane_mask)(a->at[i] + a->size > a->limit) << i;
    }
}

/* ---- Fermi and generic64 ---- */

static uint64_t fermi_address(const struct finder *f, const struct operand *o, int lane) {
    const bool wide = o->flags & OPERAND_WIDE;
    uint64_t at = wide ? (uint64_t)(int64_t)(int32_t)o->value : o->value;
    if (o->flags & OPERAND_BASED) {
        at += f->w->r[source_row(f->env, o->areg)][lane];
        if (wide)
            at += (uint64_t)f->w->r[source_row(f->env, o->areg + 1u)][lane] << 32;
    }
    if (o->file == FILE_CONST)
        return isa_set_of(f->env->program->variant) == SET_FERMI && fermi_const_runs_on(f->op)
                   ? (uint32_t)at
                   : at & 0xffff;
    return wide ? at : (uint32_t)at;
}

/* The space that an access of Fermi reaches: a window of g[] is s[] or l[]. */
static uint8_t fermi_file(const struct finder *f, const struct operand *o, uint64_t at) {
    const uint64_t n = at >> FERMI_WINDOW_SHIFT;
    if (o->file != FILE_GLOBAL || (f->env->memory && o->flags & OPERAND_WIDE))
        return o->file;
    return n == FERMI_S_WINDOW ? FILE_SHARED : n == FERMI_L_WINDOW ? FILE_LOCAL : FILE_GLOBAL;
}

/* Without GPU memory, space n of g[] begins at (n + 1) << HIGH_SHIFT; its first 128 MiB are also at
 * (n + 1) << LOW_SHIFT. */
enum { LOW_SHIFT = 27, HIGH_SHIFT = 40 };

static bool global_is_outside(const struct warp_env *env, uint64_t at, unsigned size) {
    enum { SPACES = 16 };
    if (env->memory) {
        struct memory_hint hint = {0};
        return !memory_near(env->memory, &hint, at, size);
    }
    const unsigned shift = at >> 32 ? HIGH_SHIFT : LOW_SHIFT;
    const uint64_t n = at >> shift, offset = at & ((1ull << shift) - 1);
    return !env->g || n == 0 || n > SPACES || offset + size > env->g[n - 1].limit;
}

static bool fermi_is_outside(const struct finder *f, struct access *a, uint64_t at) {
    switch (a->file) {
    case FILE_CONST: {
        const uint64_t bank = a->index + (at >> 16);
        a->limit = bank < 16 ? f->env->c[bank].size : 0;
        return (at & 0xffff) + a->size > a->limit;
    }
    case FILE_SHARED:
        a->limit = f->w->cta ? f->w->cta->s_size : 0;
        return at + a->size > a->limit;
    case FILE_LOCAL:
        a->limit = f->w->local ? f->w->local_size : 0;
        return at + a->size > a->limit;
    default:
        a->limit = UINT64_MAX;
        return global_is_outside(f->env, at, a->size);
    }
}

/* Lists the accesses of an operand that reach one space. Returns their lanes. */
static lane_mask find_fermi_space(struct finder *f, const struct operand *o, enum access_kind kind,
                                  uint8_t file, lane_mask lanes) {
    struct access *a = add(f, o, kind);
    const unsigned align = a->size == 12 ? 4 : a->size;
    a->file = file;
    a->lanes = 0;
    for (lane_mask rest = lanes; rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        uint64_t at = fermi_address(f, o, i);
        if (fermi_file(f, o, at) != file)
            continue;
        a->lanes |= 1u << i;
        a->misaligned |= (lane_mask)((at & (align - 1)) != 0) << i;
        at &= ~(uint64_t)(align - 1);
        if (o->file == FILE_GLOBAL && file != FILE_GLOBAL)
            at &= (1u << FERMI_WINDOW_SHIFT) - 1;
        a->at[i] = at;
        a->outside |= (lane_mask)fermi_is_outside(f, a, at) << i;
    }
    if (!a->lanes)
        f->count--;
    return a->lanes;
}

static void find_fermi(struct finder *f, const struct operand *o, enum access_kind kind) {
    static const uint8_t of_global[] = {FILE_GLOBAL, FILE_SHARED, FILE_LOCAL};
    if (o->file == FILE_ATTR || o->file == FILE_OUT || o->file == FILE_PRIM)
        return;
    if (o->file != FILE_GLOBAL) {
        find_fermi_space(f, o, kind, o->file, f->m);
        return;
    }
    lane_mask rest = f->m;
    for (int i = 0; i < 3 && rest; i++)
        rest &= ~find_fermi_space(f, o, kind, of_global[i], rest);
}

/* ---- operands ---- */

static bool is_memory(const struct operand *o) {
    return o->file >= FILE_CONST && o->file <= FILE_OUT;
}

static void find(struct finder *f, const struct operand *o, enum access_kind kind) {
    if (isa_set_of(f->env->program->variant) == SET_TESLA)
        find_tesla(f, o, kind);
    else
        find_fermi(f, o, kind);
}

static enum access_kind kind_of(const struct op *op, bool destination) {
    if (op->code == OP_ATOM || op->code == OP_RED)
        return ACCESS_ATOMIC;
    return destination ? ACCESS_WRITE : ACCESS_READ;
}

uint32_t access_list(const struct warp *w, const struct warp_env *env, const struct op *op,
                     lane_mask m, struct access list[ACCESSES]) {
    struct finder f = {.w = w, .env = env, .op = op, .m = m, .list = list};
    if (!m || op->code == OP_SURFACE || op->code == OP_CCTL || op->code == OP_INTERP ||
        op->code == OP_AL2P || op->code == OP_PFETCH)
        return 0;
    for (int k = 0; k < 3; k++)
        if (is_memory(&op->src[k]))
            find(&f, &op->src[k], op->code == OP_ATOM && k ? ACCESS_READ : kind_of(op, false));
    if (is_memory(&op->dst)) {
        const uint32_t first = f.count;
        find(&f, &op->dst, kind_of(op, true));
        for (uint32_t i = first; i < f.count; i++)
            f.list[i].data = op->code == OP_ST || op->code == OP_ST_UNLOCK ? &op->src[0] : NULL;
    }
    return f.count;
}

uint64_t access_address(const struct warp_env *env, const struct gpu_memory *memory,
                        const struct access *a, unsigned lane) {
    const uint64_t at = a->at[lane];
    if (a->file != FILE_GLOBAL || !(a->lanes >> lane & 1) || a->outside >> lane & 1)
        return 0;
    if (env->memory)
        return at;
    if (isa_set_of(env->program->variant) == SET_TESLA) {
        const struct global_view *g = &env->g[a->index & 15];
        return memory_address(memory, g->data) + (g->tiled ? tile_offset(g, at, a->size) : at);
    }
    const unsigned shift = at >> 32 ? HIGH_SHIFT : LOW_SHIFT;
    return memory_address(memory, env->g[(at >> shift) - 1].data) + (at & ((1ull << shift) - 1));
}

/* ---- images ---- */

/* Encodes the lane's components as a texel. Components that the instruction does not name are 0. */
static void texel_words(const struct call *c, enum pixel_format format, int lane,
                        uint32_t word[4]) {
    const struct tex_fields *f = &op_of(c)->tex;
    uint32_t rgba[4] = {0}, n = f->base;
    for (uint32_t k = 0; k < 4; k++)
        if (f->call.result_mask >> k & 1)
            rgba[k] = texel_word(c, n++, lane);
    format_encode(format, rgba, word);
}

static void data_words(const struct call *c, uint32_t size, int lane, uint32_t word[4]) {
    const struct operand *d = &op_of(c)->src[2];
    for (uint32_t k = 0; k < (size + 3) / 4 && d->file == FILE_R; k++)
        word[k] = texel_word(c, d->value + k, lane);
    if (size < 4)
        word[0] &= (1u << 8 * size) - 1;
}

bool access_image(const struct warp *w, const struct warp_env *env, const struct op *op,
                  lane_mask m, struct image_access *a) {
    const struct linked_op linked = {.op = op};
    const struct call c = {.w = (struct warp *)(uintptr_t)w, .env = env, .l = &linked, .m = m};
    const bool typed = op->sub == SURFACE_STORE_TYPED, load = op->sub == SURFACE_LOAD;
    struct memory_hint hint = {0};
    *a = (struct image_access){.kind = load ? ACCESS_READ : ACCESS_WRITE};
    if (op->code != OP_SURFACE || !(typed || load || op->sub == SURFACE_STORE_RAW))
        return false;
    for (lane_mask rest = load ? m : fermi_writers(&c, m); rest; rest &= rest - 1) {
        const int i = __builtin_ctz(rest);
        const struct image_view *image = texel_image(&c, i);
        const struct format_info *info = format_info(image->format);
        uint32_t word[4] = {0};
        if (typed && (!info->bytes || info->compressed || info->zeta))
            continue;
        a->size = (uint8_t)(typed ? info->bytes : type_bytes(load ? op->src[0].mem : op->dst.mem));
        a->at[i] = texel_address(&c, i, a->size);
        if (image->address && !a->at[i]) {
            if (!a->outside)
                a->width = image->width, a->height = image->height;
            a->outside |= 1u << i;
        }
        if (!a->at[i] || !memory_near(env->memory, &hint, a->at[i], a->size))
            continue;
        if (typed)
            texel_words(&c, image->format, i, word);
        else if (!load)
            data_words(&c, a->size, i, word);
        for (int k = 0; k < 4; k++)
            a->word[k][i] = word[k];
        a->lanes |= 1u << i;
    }
    return a->lanes || a->outside;
}
