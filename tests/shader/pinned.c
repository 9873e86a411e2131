/* What every row of the encoding tables means, pinned: its text in each notation, what texts near it
 * assemble to or are refused with, and what instructions of it leave behind when they run. In: rows,
 * instances at random; tests/pinned/, a line with a hash for each row, made by this test when what it says
 * was what the hardware's vectors, the models and the conformance tests say. A line that differs
 * names the row; TESLAPIPE_PIN=KEY prints what its hash is made of, TESLAPIPE_UPDATE=1 pins anew.
 */
#define LLVMFuzzerTestOneInput fuzz_exec
#include "tests/fences.h"
#include "tests/fuzz/fuzz_exec.c"
#undef LLVMFuzzerTestOneInput

#include "tests/shader/pinned.h"

enum { TEXTS = 12, NEAR = 8, PROGRAMS = 4, INSTANCES = 24 };

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
    h = hash_bytes(h, w->fermi.p, PRED_TRUE * sizeof w->fermi.p[0]);
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
    static const uint64_t ends[] = {[SET_TESLA] = 0xe0000781f0000001,
                                    [SET_FERMI] = 0x8000000000001de7,
                                    [SET_G64] = UINT64_C(0x46) << 48};
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
