/* Waveforms of a warp (VCD): the last values of the signals are the warp's final state. At each
 * time the signals of mask and depth equal those of a second warp that is stepped in parallel. */
#include "shader/trace.h"
#include "tests/shader/warp_case.h"

enum { SIGNALS = 8192 };

struct waves {
    char name[SIGNALS][24], code[SIGNALS][8];
    uint32_t value[SIGNALS], count, changes;
};

static uint32_t number_of(const char *bits) {
    uint32_t v = 0;
    for (; *bits == '0' || *bits == '1'; bits++)
        v = v << 1 | (uint32_t)(*bits - '0');
    return v;
}

static void set_value(struct waves *v, const char *code, uint32_t value) {
    for (uint32_t i = 0; i < v->count; i++)
        if (strcmp(v->code[i], code) == 0) {
            v->value[i] = value;
            v->changes++;
            return;
        }
    fail_msg("a value of %s, which is not declared", code);
}

static uint32_t value_of(const struct waves *v, const char *name) {
    for (uint32_t i = 0; i < v->count; i++)
        if (strcmp(v->name[i], name) == 0)
            return v->value[i];
    fail_msg("no signal %s", name);
    return 0;
}

/* Reads one line of the file. Returns the time that begins with it, or -1. */
static long read_line(struct waves *v, const char *line, char scope[24]) {
    char code[8], name[24], text[40];
    if (sscanf(line, "$scope module %23s", scope) == 1)
        return -1;
    if (sscanf(line, "$var %*s %*u %7s %15s", code, name) == 2) {
        strcpy(v->code[v->count], code);
        snprintf(v->name[v->count++], sizeof v->name[0], "%.7s.%.15s", scope, name);
    } else if (line[0] == '#') {
        return strtol(line + 1, NULL, 10);
    } else if (sscanf(line, "b%39s %7s", text, code) == 2) {
        set_value(v, code, number_of(text));
    } else if (line[0] == '0' || line[0] == '1') {
        sscanf(line + 1, "%7s", code);
        set_value(v, code, number_of((char[2]){line[0], 0}));
    }
    return -1;
}

static const char loop[] = "mov b32 $r1 0\nmov b32 $r2 3\nbreakaddr #out\n"
                           "again:\nadd b32 $r1 $r1 $r2\nset $c0 # ge u32 $r1 $r0\n"
                           "(lg $c0) break\nbra #again\nout:\nmov b32 $r3 $r1\nexit nop\n";

TEST(test_waves) {
    static struct waves v;
    struct warp_case waved, beside;
    char *text = NULL, *line, scope[24] = "";
    size_t size;
    case_open(&waved, PROGRAM_CP, loop);
    case_open(&beside, PROGRAM_CP, loop);
    FILE *f = open_memstream(&text, &size);
    const struct trace_options options = {f, 1u << 5 | 1u << 31, 0};
    assert_int_equal(wave_warp(waved.w, &waved.env, &options), WARP_DONE);
    fclose(f);
    uint32_t steps = 0;
    for (char *rest = text; (line = strsep(&rest, "\n")) && *line;) {
        const long time = read_line(&v, line, scope);
        if (time <= 0)
            continue;
        /* the signals before this time */
        assert_int_equal(value_of(&v, "warp.active"), beside.w->active);
        assert_int_equal(value_of(&v, "warp.stack_depth"), beside.w->stack_top);
        assert_int_equal(value_of(&v, "warp.pc"), beside.w->pc);
        assert_int_equal(value_of(&v, "lane31.r1"), beside.w->r[1][31]);
        assert_int_equal(time, ++steps);
        warp_step(beside.w, &beside.env);
    }
    assert_int_equal(steps, waved.w->executed);
    assert_int_equal(value_of(&v, "lane5.r3"), 6);
    assert_int_equal(value_of(&v, "lane31.r3"), 33);
    assert_int_equal(value_of(&v, "warp.exited"), LANES_ALL);
    free(text);
    case_close(&waved);
    case_close(&beside);
}

/* The predicates of a Fermi's warp are signals. */
TEST(test_predicates) {
    static struct waves v;
    char *text = NULL, *line, scope[24] = "";
    size_t size;
    CASE_AT(c, SIMD_BASE, PROGRAM_CP, ISA_GF100, LANES_ALL,
            "set $p0 0x1 lt u32 $r0 0x10\nset $p6 0x1 lt u32 $r0 0x4\nexit\n");
    FILE *f = open_memstream(&text, &size);
    const struct trace_options options = {f, 1, 0};
    assert_int_equal(wave_warp(c.w, &c.env, &options), WARP_DONE);
    fclose(f);
    for (char *rest = text; (line = strsep(&rest, "\n"));)
        read_line(&v, line, scope);
    assert_int_equal(value_of(&v, "warp.p0"), 0xffff);
    assert_int_equal(value_of(&v, "warp.p6"), 0xf);
    free(text);
}
