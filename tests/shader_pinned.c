/* What every row of the encoding tables means, pinned: its text in each notation, what texts near it
 * assemble to or are refused with, and what instructions of it leave behind when they run. In: rows,
 * instances at random; tests/pinned/, a line with a hash for each row, made by this test when what it says
 * was what the hardware's vectors, the models and the conformance tests say. A line that differs
 * names the row; TESLAPIPE_PIN=KEY prints what its hash is made of, TESLAPIPE_UPDATE=1 pins anew.
 */
#define LLVMFuzzerTestOneInput fuzz_exec
#include "tests/fuzz/fuzz_exec.c"
#undef LLVMFuzzerTestOneInput

#include "shader/isa/dotted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEXTS = 12, NEAR = 8, PROGRAMS = 4, INSTANCES = 24, LINE = 80 };

static uint64_t state;

static uint32_t random_word(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 32);
}

static uint32_t random_below(uint32_t n) {
    return random_word() % n;
}

/* ---- hashes and lines ---- */

static const char *shown; /* the key whose parts are printed */
static bool shows;

static uint32_t hash_bytes(uint32_t h, const void *data, size_t size) {
    for (size_t i = 0; i < size; i++)
        h = (h ^ ((const uint8_t *)data)[i]) * 16777619u;
    return h;
}

static uint32_t hash_text(uint32_t h, const char *text) {
    if (shows)
        print_message("%s\n", text);
    return hash_bytes(h, text, strlen(text) + 1);
}

/* A file of lines, being compared or written. */
struct pins {
    FILE *in, *out;
    unsigned lines, wrong;
};

static struct pins pins_open(const char *name) {
    char path[128];
    const char *update = getenv("TESLAPIPE_UPDATE");
    struct pins p = {0};
    snprintf(path, sizeof path, "tests/pinned/%s.txt", name);
    if (update && *update == '1')
        p.out = fopen(path, "w");
    else
        p.in = fopen(path, "r");
    if (!p.in && !p.out)
        fail_msg("%s", path);
    shown = getenv("TESLAPIPE_PIN");
    return p;
}

static void pin(struct pins *p, const char *key, uint32_t hash) {
    char line[LINE], expected[LINE] = "";
    snprintf(line, sizeof line, "%s %08x\n", key, hash);
    p->lines++;
    if (p->out) {
        fputs(line, p->out);
        return;
    }
    if (!fgets(expected, sizeof expected, p->in) || strcmp(line, expected)) {
        if (p->wrong++ < 8)
            print_error("pinned: %snow:    %s", *expected ? expected : "nothing\n", line);
    }
}

static void pins_close(struct pins *p) {
    char more[LINE];
    const bool rest = p->in && fgets(more, sizeof more, p->in);
    if (p->in)
        fclose(p->in);
    if (p->out && fclose(p->out))
        fail_msg("lines not written");
    assert_int_equal(p->wrong, 0);
    assert_false(rest);
}

/* ---- words ---- */

static uint64_t free_bits(const struct isa *isa, const struct row *row) {
    const uint64_t fixed = (uint64_t)row->mask[1] << 32 | row->mask[0];
    uint64_t bits = isa->dotted ? 0 : ~fixed;
    for (const uint16_t *f = row->fields; isa->dotted && *f; f++)
        bits |= dot_field_mask(&isa->fields[*f]);
    return bits & ~fixed;
}

/* An instance of the row: all its bits at random, few of them, or hardly any. */
static void instance(const struct isa *isa, const struct row *row, uint32_t w[2]) {
    uint64_t random = (uint64_t)random_word() << 32 | random_word();
    for (uint32_t fewer = random_below(5); fewer; fewer--)
        random &= (uint64_t)random_word() << 32 | random_word();
    const uint64_t v = ((uint64_t)row->bits[1] << 32 | row->bits[0]) | (random & free_bits(isa, row));
    w[0] = (uint32_t)v;
    w[1] = (uint32_t)(v >> 32);
}

/* The row by what decides it; the same key starts the same random numbers wherever the row stands. */
static void make_key(char key[LINE], const char *name, const struct row *row) {
    snprintf(key, LINE, "%s %08x%08x/%08x%08x", name, row->bits[1], row->bits[0], row->mask[1], row->mask[0]);
    state = hash_bytes(2166136261u, key, strlen(key)) * UINT64_C(0x9e3779b97f4a7c15) + 1;
    random_word();
    shows = shown && !strcmp(shown, key);
}

/* ---- text ---- */

static uint32_t hash_assembled(uint32_t h, struct isa_target target, const char *text) {
    struct asm_result r;
    char message[512];
    h = hash_text(h, text);
    if (isa_assemble(target, text, strlen(text), "t", NULL, &r, message, sizeof message))
        return hash_text(h, message);
    for (size_t i = 0; i < r.count; i++) {
        snprintf(message, sizeof message, "%08x", r.words[i]);
        h = hash_text(h, message);
    }
    asm_result_free(&r);
    return h;
}

/* A text with one mistake, or another of its kind. */
static void spoil(char *text, size_t room) {
    static const char marks[] = "$#[]():.,-+0123456789abcdefx pr!@|~";
    const size_t length = strlen(text), at = random_below((uint32_t)length);
    const char mark = marks[random_below(sizeof marks - 1)];
    char *const space = strchr(text + at, ' '), *const digit = strpbrk(text + at, "0123456789");
    switch (random_below(6)) {
    case 0:
        memmove(text + at, text + at + 1, length - at);
        break;
    case 1:
        text[at] = mark;
        break;
    case 2:
        if (length + 2 < room) {
            memmove(text + at + 1, text + at, length - at + 1);
            text[at] = mark;
        }
        break;
    case 3: /* the rest is missing */
        if (space)
            *space = 0;
        break;
    case 4: /* a word is */
        if (space) {
            const size_t word = strcspn(space + 1, " ") + 1;
            memmove(space, space + word, strlen(space + word) + 1);
        }
        break;
    default: /* another number */
        if (digit)
            *digit = (char)('0' + random_below(10));
    }
}

static uint32_t hash_row_text(struct isa_target target, const struct row *row) {
    const struct isa *isa = isa_notation(target);
    uint32_t h = 2166136261u;
    for (int i = 0; i < TEXTS; i++) {
        uint32_t w[2];
        struct op op;
        char text[300], near[300];
        instance(isa, row, w);
        isa_decode(target, w, 2, 0x1000, &op);
        isa_print(target, &op, text, 256);
        if (op.code == OP_ILLEGAL) {
            h = hash_text(h, decode_error_name(op.error));
            continue;
        }
        h = hash_assembled(h, target, text);
        for (int k = 0; k < NEAR; k++) {
            strcpy(near, text);
            spoil(near, sizeof near);
            h = hash_assembled(h, target, near);
        }
    }
    return h;
}

static void test_text(void **state_) {
    (void)state_;
    static const struct {
        const char *name;
        struct isa_target target;
    } sets[] = {{"g80-vp", {ISA_G80, PROGRAM_VP, SYNTAX_ENVYAS}},
                {"gt200-gp", {ISA_G200, PROGRAM_GP, SYNTAX_ENVYAS}},
                {"gt215-fp", {ISA_GT215, PROGRAM_FP, SYNTAX_ENVYAS}},
                {"gt215-cp", {ISA_GT215, PROGRAM_CP, SYNTAX_ENVYAS}},
                {"gf100", {ISA_GF100, PROGRAM_CP, SYNTAX_ENVYAS}},
                {"gk104", {ISA_GK104, PROGRAM_CP, SYNTAX_ENVYAS}},
                {"sm_20", {ISA_GF100, PROGRAM_CP, SYNTAX_ASFERMI}},
                {"sm_30", {ISA_GK104, PROGRAM_CP, SYNTAX_ASFERMI}},
                {"g64", {ISA_G64, PROGRAM_CP, SYNTAX_ENVYAS}}};
    struct pins pins = pins_open("text");
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        const struct isa *isa = isa_notation(sets[s].target);
        for (unsigned i = 0; i < isa->row_count; i++) {
            char key[LINE];
            make_key(key, sets[s].name, &isa->rows[i]);
            pin(&pins, key, hash_row_text(sets[s].target, &isa->rows[i]));
        }
    }
    assert_true(pins.lines > 1000);
    pins_close(&pins);
}

/* ---- execution ---- */

static uint32_t special_word(uint32_t kind) {
    static const uint32_t words[] = {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000,
                                     0x7fc12345, 0x7f800001, 1,          0xffffffff, 0x7fffffff, 0x00800000,
                                     0x807fffff, 0x4b000001, 0x3effffff, 0xffff8000, 0x00007fff, 0x4f000000};
    return words[kind % (sizeof words / sizeof *words)];
}

/* Integers large and small, floats near 1, doubles and halves by chance, special values. */
static void fill_start(struct start_rows *s) {
    for (uint32_t i = 0; i < WARP_REGS; i++)
        for (uint32_t lane = 0; lane < LANES; lane++) {
            const uint32_t v = random_word();
            const uint32_t kind = random_below(8);
            s->r[i][lane] = kind < 2   ? v
                            : kind < 4 ? (v & 0x80ffffff) | (0x7c + (v >> 24 & 7)) << 23
                            : kind < 6 ? v & 0xff
                                       : special_word(v);
        }
    for (uint32_t i = 0; i < 8; i++)
        for (uint32_t lane = 0; lane < LANES; lane++)
            s->a[i][lane] = random_below(64) * (i % 2 ? 4 : 1);
    for (uint32_t i = 0; i < 4; i++)
        s->c[i] = (struct flags){random_word(), random_word(), random_word(), random_word()};
    for (uint32_t i = 0; i < PRED_TRUE; i++)
        s->p[i] = random_word();
}

static bool is_control(const struct op *op) {
    return (op->code >= OP_DISCARD && op->code <= OP_PRERET) || op->code >= OP_EXIT || op->join || op->exit;
}

static uint64_t with_bits(uint64_t w, unsigned at, unsigned count, uint64_t value) {
    const uint64_t mask = ((UINT64_C(1) << count) - 1) << at;
    return (w & ~mask) | (value << at & mask);
}

/* An instance in 8 bytes that goes straight on, mostly in all lanes; false if none is found. */
static bool straight_pair(struct isa_target target, const struct row *row, uint32_t pair[2]) {
    const struct isa *isa = isa_of(target.variant);
    const enum isa_set set = isa_set_of(target.variant);
    for (int tries = 0; tries < 60; tries++) {
        struct op op;
        instance(isa, row, pair);
        uint64_t w = (uint64_t)pair[1] << 32 | pair[0], all = w;
        if (set == SET_TESLA)
            all = with_bits(w, 39, 5, 15);
        else if (set == SET_FERMI)
            all = with_bits(w, 10, 4, 7);
        else
            all = with_bits(with_bits(w, 56, 8, 0), 13, 1, 0);
        const uint64_t fixed = (uint64_t)row->mask[1] << 32 | row->mask[0];
        if (random_below(4) && !((all ^ w) & fixed))
            w = all;
        pair[0] = (uint32_t)w;
        pair[1] = (uint32_t)(w >> 32);
        isa_decode(target, pair, 2, 0, &op);
        if (op.code == OP_ILLEGAL || is_control(&op))
            continue;
        if (op.words == 1)
            pair[1] = set == SET_TESLA ? pair[0] : 0x1c08; /* Fermi's short nop */
        return true;
    }
    return false;
}

static uint32_t hash_world(const struct world *k, const struct warp *w) {
    uint32_t h = hash_bytes(k->calls, &k->stats, sizeof k->stats);
    char error[128];
    warp_error_print(&k->error, error, sizeof error);
    h = hash_text(h, error);
    for (int i = 1; i < k->block_count; i++) /* 0 is the warp */
        h = hash_bytes(h, k->block[i].data, k->block[i].size);
    h = hash_bytes(h, w->r, WARP_REGS * sizeof w->r[0]);
    h = hash_bytes(h, w->a, sizeof w->a);
    h = hash_bytes(h, w->c, sizeof w->c);
    h = hash_bytes(h, w->p, PRED_TRUE * sizeof w->p[0]);
    const uint32_t masks[] = {w->active, w->dead, w->exited, w->stack_top, w->limited_calls};
    return hash_bytes(h, masks, sizeof masks);
}

static uint32_t hash_run(const uint8_t *input, size_t size, const struct start_rows *start) {
    struct world world = {.calls = 1, .start = start};
    struct warp *w = take(&world, sizeof *w);
    memset(w, 0, sizeof *w);
    assert_true(world_run(&world, input, size, NULL, w));
    const uint32_t h = hash_world(&world, w);
    warp_free(w);
    world_free(&world);
    return h;
}

/* Instances of the row, one after the other; the same at every SIMD level. 0 if the row has none. */
static uint32_t hash_program(struct isa_target target, const struct row *row, const char *key) {
    static struct start_rows start;
    static const uint64_t ends[] = {
        [SET_TESLA] = 0xe0000781f0000001, [SET_FERMI] = 0x8000000000001de7, [SET_G64] = UINT64_C(0x46) << 48};
    const enum isa_set set = isa_set_of(target.variant);
    uint8_t input[SETUP + 8 * (INSTANCES + 1)];
    struct setup s = {.variant = target.variant,
                      .type = set == SET_TESLA ? target.type : PROGRAM_VP,
                      .mode = (uint8_t)random_below(8),
                      .launched = LANES_ALL,
                      .regs = set == SET_TESLA ? 127 : 62,
                      .sizes = 239};
    fill_start(&start);
    for (int i = 0; i < INSTANCES; i++) {
        uint32_t pair[2];
        if (!straight_pair(target, row, pair))
            return 0;
        memcpy(input + SETUP + 8 * i, pair, 8);
    }
    memcpy(input + SETUP + 8 * INSTANCES, &ends[set], 8);
    uint32_t h = 0;
    for (unsigned level = 0; level <= (unsigned)simd_best(); level++) {
        s.level = (uint8_t)level;
        memcpy(input, &s, sizeof s);
        const uint32_t here = hash_run(input, sizeof input, &start);
        if (level && here != h)
            fail_msg("%s: level %u differs from base", key, level);
        h = here;
    }
    return h;
}

static void test_execution(void **state_) {
    (void)state_;
    static const struct {
        const char *name;
        struct isa_target target;
    } sets[] = {{"gt200-vp", {ISA_G200, PROGRAM_VP, SYNTAX_ENVYAS}},
                {"gt215-fp", {ISA_GT215, PROGRAM_FP, SYNTAX_ENVYAS}},
                {"gt215-gp", {ISA_GT215, PROGRAM_GP, SYNTAX_ENVYAS}},
                {"gt200-cp", {ISA_G200, PROGRAM_CP, SYNTAX_ENVYAS}},
                {"gf100", {ISA_GF100, PROGRAM_CP, SYNTAX_ENVYAS}},
                {"gk104", {ISA_GK104, PROGRAM_CP, SYNTAX_ENVYAS}},
                {"g64", {ISA_G64, PROGRAM_CP, SYNTAX_ENVYAS}}};
    struct pins pins = pins_open("execution");
    for (size_t s = 0; s < sizeof sets / sizeof *sets; s++) {
        const struct isa *isa = isa_of(sets[s].target.variant);
        for (unsigned i = 0; i < isa->row_count; i++) {
            char key[LINE];
            uint32_t h = 0;
            make_key(key, sets[s].name, &isa->rows[i]);
            for (int k = 0; k < PROGRAMS; k++)
                h = h * 16777619u + hash_program(sets[s].target, &isa->rows[i], key);
            pin(&pins, key, h);
        }
    }
    assert_true(pins.lines > 500);
    pins_close(&pins);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_execution),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
