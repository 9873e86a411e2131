/* Fuzz target: any words run to an end, an error or the budget, without touching memory that is
 * not bound. In: 16 bytes of setup, then words. Words of the type CP run as a block, words of
 * other types as a warp; generic64's warps have no stage. A Fermi's stages have the header that
 * sph_make() makes. Every bound range has its exact size: it is a heap block under
 * AddressSanitizer, otherwise it lies between inaccessible pages, so that native code faults,
 * too. */
#include "shader/cta.h"
#include "shader/exec.h"
#include "shader/isa/isa.h"
#include "shader/sph.h"

#include <math.h>
#include <stdlib.h>
#include <sys/mman.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { SETUP = 16, BUDGET = 2000, MAX_WORDS = 512, START_LOCAL = 2044 };
/* Allocations of GPU memory, at BUFFER_AT and its multiples. */
enum { BUFFERS = 3, BUFFER_AT = 0x1000, BUFFER_SIZE = 0x800 };
/* Bits of setup.mode. LAUNCH: a warp of an environment that is kept, which may run bold code. */
enum { MODE_FAST = 8, MODE_MEMORY = 16, MODE_NO_LOCAL = 32, MODE_LAUNCH = 64 };

struct setup {
    uint8_t variant, type, level, mode;
    uint32_t launched, helpers;
    uint8_t regs, sizes, call_limit, stack_limit;
};

struct start_rows {
    u32x32 r[WARP_REGS], a[8];
    struct flags c[4];
    lane_mask p[PRED_TRUE];
};

/* Everything that a program may access; the input selects the sizes. */
struct world {
    struct setup setup;
    struct program *program;
    struct warp_env env;
    struct global_view g[16];
    struct gpu_memory *memory; /* GPU memory with BUFFERS allocations, or NULL */
    struct image_view image[WARP_IMAGES];
    const struct tex_binding *slot[128 * 16];
    struct memory {
        void *data; /* freed at the end */
        size_t size;
        bool rows; /* the block consists of rows of 32 lanes */
    } block[64];
    int block_count;
    const struct start_rows *start; /* registers at a warp's start; NULL: the usual values */
    uint32_t calls;                 /* hash of all data that went through the ports */
    struct warp_stats stats;
    struct warp_error error;
};

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_UNDEFINED__)
#define GUARDED 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define GUARDED 0
#endif
#endif
#ifndef GUARDED
#define GUARDED 1
#endif

/* Places for blocks, between inaccessible pages. Every 16-bit address, also of rows of 32 lanes,
 * lies in a place or a guard. */
enum { PLACES = 160, PLACE = 1 << 16, GUARD = 4 << 20 };
static struct {
    uint8_t *base;
    bool taken[PLACES];
} places;

static uint8_t *place_of(int i) {
    return places.base + (size_t)i * (GUARD + PLACE) + GUARD;
}

/* Returns `bytes` at the end of a place; only the padding for the alignment lies between them and
 * the guard. */
static void *guarded(size_t bytes, size_t alignment) {
    if (!places.base) {
        places.base = mmap(NULL, (size_t)PLACES * (GUARD + PLACE) + GUARD, PROT_NONE,
                           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (places.base == MAP_FAILED)
            abort();
        for (int i = 0; i < PLACES; i++)
            if (mprotect(place_of(i), PLACE, PROT_READ | PROT_WRITE))
                abort();
    }
    int i = 0;
    while (places.taken[i])
        if (++i == PLACES)
            abort();
    const size_t whole = (bytes + alignment - 1) / alignment * alignment;
    if (whole > PLACE)
        abort();
    places.taken[i] = true;
    return place_of(i) + PLACE - whole;
}

static void *allocate(size_t bytes, size_t alignment) {
    void *p = GUARDED ? guarded(bytes, alignment)
              : alignment > 16
                  ? aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment)
                  : malloc(bytes);
    if (!p)
        abort();
    return p;
}

static void release(void *p) {
    if (GUARDED)
        places.taken[((uint8_t *)p - places.base - GUARD) / (GUARD + PLACE)] = false;
    else
        free(p);
}

static void *take(struct world *k, size_t bytes) {
    void *p = allocate(bytes ? bytes : 128, 128);
    memset(p, 0x5a, bytes);
    k->block[k->block_count++] = (struct memory){p, bytes, true};
    return p;
}

/* The memory is aligned to 16 bytes. */
static uint8_t *take_bytes(struct world *k, size_t bytes) {
    uint8_t *p = allocate(bytes ? bytes : 1, 16);
    for (size_t i = 0; i < bytes; i++)
        p[i] = (uint8_t)(i * 37 + 11);
    k->block[k->block_count++] = (struct memory){p, bytes, false};
    return p;
}

static void sample(const struct tex_binding *binding, const struct tex_call *r, u32x32 *reg,
                   lane_mask m) {
    (void)binding;
    const u32x32 source = reg[r->source_count - 1];
    for (uint32_t k = 0; k < 4; k++)
        if (r->result_mask >> k & 1)
            lanes_store(reg++, source + k, m);
}

static const struct tex_binding sampler = {{[0 ... TEX_OPS - 1] = sample}};

static void note(struct world *k, const void *words, size_t count) {
    for (size_t i = 0; i < count; i++)
        k->calls = (k->calls ^ ((const uint32_t *)words)[i]) * 16777619u;
}

/* Only launched lanes are hashed, because the values of others are undefined. */
static void on_emit(void *self, const u32x32 *out, lane_mask m, uint32_t stream) {
    const struct setup *s = &((struct world *)self)->setup;
    for (size_t i = 0; i < s->sizes % 20; i++) {
        const u32x32 row = lanes_select(s->launched, out[i], lanes_splat(0));
        note(self, &row, LANES);
    }
    note(self, (const uint32_t[]){m, stream}, 2);
}

static void on_restart(void *self, lane_mask m, uint32_t stream) {
    note(self, (const uint32_t[]){~m, stream}, 2);
}

static void open_memory(struct world *k) {
    static const enum pixel_format formats[] = {FORMAT_R32_UINT, FORMAT_RGBA8_UNORM,
                                                FORMAT_RGBA16_FLOAT, FORMAT_RGBA32_FLOAT};
    k->memory = memory_create(1 << 20, -1);
    if (!k->memory)
        abort();
    for (uint32_t i = 1; i <= BUFFERS; i++) {
        if (!memory_alloc_at(k->memory, i * BUFFER_AT, BUFFER_SIZE))
            abort();
        uint8_t *const p = memory_at(k->memory, i * BUFFER_AT, BUFFER_SIZE);
        for (uint32_t n = 0; n < BUFFER_SIZE; n++)
            p[n] = (uint8_t)(n * 41 + i);
    }
    for (uint32_t i = 0; i + 1 < WARP_IMAGES; i++)
        k->image[i] = (struct image_view){.address = (1 + i % BUFFERS) * BUFFER_AT,
                                          .format = formats[i % 4],
                                          .width = i & 1 ? 256 : 9,
                                          .height = 5,
                                          .linear = i & 1,
                                          .tile_h = (uint8_t)(i / 4)};
    k->env.memory = k->memory;
    k->env.image = k->image;
    k->env.locks = take(k, WARP_LOCKS * sizeof *k->env.locks);
    memset(k->env.locks, 0, WARP_LOCKS * sizeof *k->env.locks);
}

static void make_env(struct world *k, struct native *native) {
    const struct setup *s = &k->setup;
    for (uint32_t i = 0; i < sizeof k->slot / sizeof *k->slot; i++)
        k->slot[i] = &sampler;
    k->env = (struct warp_env){.program = k->program,
                               .simd = s->level % (simd_best() + 1),
                               .mode = (s->mode & 3u) | (uint32_t)(s->mode & 4) << 17,
                               .g = k->g,
                               .tex = k->slot,
                               .call_limit = s->call_limit,
                               .stack_limit = s->stack_limit,
                               .budget = BUDGET,
                               .native = native};
    for (uint32_t i = 0; i < 16; i++) {
        const uint32_t size = s->sizes * i;
        k->env.c[i] = (struct const_view){take_bytes(k, size), size};
        k->g[i] =
            (struct global_view){take_bytes(k, size), size, i & 1, s->sizes, (uint8_t)(i / 2)};
    }
    if (s->mode & MODE_MEMORY)
        open_memory(k);
}

/* A block of 65 threads, or of 52 if the launched lanes are whole quads. */
static void run_block(struct world *k) {
    const lane_mask m = k->setup.launched;
    const lane_mask whole = ((m | m >> 1 | m >> 2 | m >> 3) & 0x11111111) * 15;
    const uint32_t params[2] = {m, k->setup.helpers};
    const struct cta_launch launch = {
        .threads = {m == whole ? 4 : 5, 13, 1}, .grid = {1, 1}, .param_count = 2, .params = params};
    const char *why;
    struct cta_error error = {0};
    struct cta *b = cta_create(&k->env, &launch, &why);
    if (b)
        cta_run(b, 0, 0, 0, &k->stats, &error);
    cta_destroy(b);
    k->error = error.warp;
}

static void set_start(struct warp *w, const struct start_rows *start, uint32_t regs) {
    memcpy(w->r, start->r, regs * sizeof w->r[0]);
    for (int i = 1; i <= 4; i++)
        w->a[i] = start->a[i];
    memcpy(w->c, start->c, sizeof start->c);
    memcpy(w->fermi.p, start->p, sizeof start->p);
}

/* Inputs that only a Fermi's stages have. Rows of w->attr hold handles of vertices. */
static void set_stage(struct world *k, struct warp *w, const u32x32 *invocation,
                      const uint32_t *position) {
    const enum program_type type = k->program->type;
    for (uint32_t i = 0; type != PROGRAM_VP && i < w->attr_count; i++)
        ((u32x32 *)w->attr)[i] = (lanes_iota() + i) & 31;
    w->invocation = invocation;
    w->patch_vertices = k->setup.sizes % 32;
    w->patch_count = k->setup.sizes % 13;
    w->patch = take(k, w->patch_count * sizeof *w->patch);
    w->sample_count = k->setup.sizes % 5;
    w->sample_position = position;
    w->coverage = k->setup.sizes & 1 ? invocation : NULL;
    w->sample_id = 1;
    w->x = w->cx = __builtin_convertvector(lanes_iota(), f32x32);
    w->cy = w->y + 0.25f;
}

static void run_warp(struct world *k, struct warp *w) {
    const uint32_t n = k->setup.sizes % 20;
    const struct emit_port emit = {k, on_emit, on_restart};
    const struct attribute_plane plane[4] = {
        {1, 2, 3, 4}, {INFINITY, 6, 7, 8}, {9, 1, 2, 3}, {4, 5, 6, 7}};
    const u32x32 invocation = lanes_iota() % 3;
    const uint32_t position[4] = {0, 0x04000200, 0xfc00fe00, 0x01230456};
    const struct attribute_planes sets[2] = {{~0u, n % 5, plane}, {0, 4, plane}};
    w->attr = take(k, n * sizeof *w->attr);
    w->attr_count = n;
    w->out = take(k, n * sizeof *w->out);
    w->out_count = n;
    w->prim_count = k->program->rows ? LANES * n : 4 * n;
    w->prim = (const uint32_t *)take_bytes(k, w->prim_count * 4);
    w->local_size = k->program->header.local_size;
    w->local = take(k, (w->local_size + 3) / 4 * sizeof *w->local);
    w->emit = &emit;
    for (uint32_t q = 0; q < 8; q++)
        w->planes[q] = q % 3 == 2 ? NULL : &sets[q % 2];
    w->uniform_planes = n & 1;
    if (k->program->rows)
        set_stage(k, w, &invocation, position);
    if (k->setup.mode & MODE_LAUNCH && !k->start) {
        warp_keep(w, &k->env, false);
        warp_launch(w, &k->env, k->setup.launched, k->setup.helpers);
        warp_keep(w, NULL, false);
    } else {
        warp_start(w, &k->env, k->setup.launched, k->setup.helpers);
        for (uint32_t i = 0; i < 8 && i < k->setup.regs; i++)
            w->r[i] = lanes_iota() << i;
        if (k->start)
            set_start(w, k->start, k->setup.regs);
        warp_run(w, &k->env);
    }
    k->stats = w->stats;
    k->error = w->error;
    w->emit = NULL; /* the ports are variables of this function */
    w->invocation = w->coverage = NULL;
    w->sample_position = NULL;
    memset(w->planes, 0, sizeof w->planes);
}

static struct program *make_program(const struct world *k, enum program_type type,
                                    const uint32_t *words, size_t count) {
    const uint32_t local = k->setup.mode & MODE_NO_LOCAL ? 0
                           : k->start                    ? START_LOCAL
                                                         : k->setup.sizes;
    struct program_header header = {
        .reg_count = k->setup.regs, .local_size = local, .shared_size = k->setup.sizes * 4u};
    const enum isa_variant variant = k->setup.variant % ISA_VARIANTS;
    struct attribute_rows rows;
    struct program_code code = {.words = words, .word_count = count};
    struct program_error error;
    if (isa_set_of(variant) == SET_FERMI && type != PROGRAM_CP) {
        uint32_t sph[SPH_WORDS];
        sph_make((struct isa_target){variant, type, SYNTAX_ENVYAS}, &header, words, count, 0, sph);
        sph_read(sph, type, &header, &rows);
        header.local_size = local;
        code.rows = &rows;
    }
    return program_from_code(type, variant, &header, &code, "fuzz", &error);
}

/* Makes a world from the input and runs its program; w is a zeroed warp for types other than CP. */
static bool world_run(struct world *k, const uint8_t *data, size_t size, struct native *native,
                      struct warp *w) {
    if (size < SETUP + 4)
        return false;
    memcpy(&k->setup, data, SETUP);
    k->setup.regs = (uint8_t)(1 + k->setup.regs % WARP_REGS);
    uint32_t words[MAX_WORDS];
    size_t count = (size - SETUP) / 4;
    count = count < MAX_WORDS ? count : MAX_WORDS;
    memcpy(words, data + SETUP, count * 4);
    const enum isa_set set = isa_set_of(k->setup.variant % ISA_VARIANTS);
    const enum program_type type =
        set == SET_FERMI ? k->setup.type % PROGRAM_TYPES : k->setup.type % PROGRAM_TESLA_TYPES;
    k->program = make_program(k, set == SET_G64 ? PROGRAM_CP : type, words, count);
    if (!k->program)
        return false;
    if (k->setup.mode & MODE_FAST)
        program_set_fast(k->program);
    make_env(k, native);
    if (type == PROGRAM_CP)
        run_block(k);
    else
        run_warp(k, w);
    return true;
}

static void world_free(struct world *k) {
    program_unref(k->program);
    memory_destroy(k->memory);
    while (k->block_count > 0)
        release(k->block[--k->block_count].data);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    struct world k = {0};
    struct warp *w = take(&k, sizeof *w);
    memset(w, 0, sizeof *w);
    world_run(&k, data, size, NULL, w);
    warp_free(w);
    world_free(&k);
    return 0;
}
