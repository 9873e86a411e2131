/* What a fragment program's code tells: uniform or not, harmless or not.
 */
#include "shader/program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *text;
    bool uniform, harmless;
} cases[] = {
    {"mov b32 $r0 0\nadd f32 $r1 $r0 c0[0x0]\nexit nop\n", true, true},
    {"mov b32 $r0 0.5\nadd f32 $r1 $r0 $r0\nrcp f32 $r2 $r1\nexit nop\n", true, true},
    {"interp $r0 v[0x0]\nexit nop\n", false, true},
    {"mov $r0 $physid\nexit nop\n", false, true},
    {"ld b32 $r0 l[0x0]\nexit nop\n", false, true},
    {"texauto live $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0\nexit nop\n", false, true},
    {"mov b32 $r0 0\nexit (never) nop\n", true, true},
    {"mov b32 $r0 0\nexit (e $c0) mov b32 $r1 $r0\ntrap\n", false, true},
    {"discard\nexit nop\n", false, false},
    {"trap\nexit nop\n", false, false},
    {"bra #L\nL: exit nop\n", false, false},
    {"mov b32 $r0 0\n", false, false}, /* runs out of the code */
};

static void test_cases(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct program_error error = {""};
        struct program *p = program_from_text(PROGRAM_FP, ISA_GT215, cases[i].text,
                                              strlen(cases[i].text), "test", &error);
        if (!p)
            fail_msg("%s%s", cases[i].text, error.text);
        if (p->facts.uniform != cases[i].uniform)
            fail_msg("uniform: %s", cases[i].text);
        if (p->facts.infallible != (cases[i].harmless || !strncmp(cases[i].text, "discard", 7)))
            fail_msg("infallible: %s", cases[i].text);
        if (p->facts.harmless != cases[i].harmless)
            fail_msg("harmless: %s", cases[i].text);
        program_unref(p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_cases)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
