/* Fermi textures whose results no instruction needs in helper pixels: the sampler skips these
 * pixels (shader/unseen.c). A result is needed if a neighbour may read it, or if it decides where
 * lanes go or what they store. */
#include "tests/shader/fermi_stage.h"

struct row {
    const char *text; /* the first texture instruction is tested */
    bool alone;
};

#define FIRST "tex p lauto all dfp $r4:$r5:$r6:$r7 t2d $t0 $s0 $r0:$r1 ()\n"

static const struct row rows[] = {
    {FIRST "mul ftz rn f32 $r0 $r4 $r5\nexit\n", true},
    /* the result is a coordinate: of a texture whose level comes from differences in the quad, then
     * of one with a given level */
    {FIRST "tex p lauto all dfp $r0:$r1:$r2:$r3 t2d $t1 $s1 $r4:$r5 ()\nexit\n", false},
    {FIRST "tex p lzero all dfp $r0:$r1:$r2:$r3 t2d $t1 $s1 $r4:$r5 ()\nexit\n", true},
    {FIRST "texfetch p lzero all $r0:$r1:$r2:$r3 t2d $t1 $s1 $r4:$r5 ()\nexit\n", true},
    {FIRST "tex p lauto shadow all dfp $r0:#:#:# t2d $t1 $s1 $r0:$r1 $r4\nexit\n", false},
    /* the reference is $r3; the register behind it is not read */
    {FIRST "tex p lauto shadow all dfp $r0:#:#:# t2d $t1 $s1 $r0:$r1 $r3\nexit\n", true},
    {FIRST "quadop rn f32 sub subr sub subr $r0 dall dx $r4 $r4\nexit\n", false},
    {FIRST "mov b32 $r4 0x0\nquadop rn f32 sub subr sub subr $r0 dall dx $r4 $r4\nexit\n", true},
    /* a guarded move does not replace the value in all lanes */
    {FIRST "$p0 mov b32 $r4 0x0\nquadop rn f32 sub subr sub subr $r0 dall dx $r4 $r4\nexit\n",
     false},
    {FIRST "set $p0 0x1 gt f32 $r4 $r5\n$p0 discard\nexit\n", false},
    {FIRST "set b32 $r0 gt f32 $r4 $r5\nexit\n", true},
    /* the result reaches a predicate or flags that are written or read without being named */
    {FIRST "mov $flags $r4 mask 0x7f\n$p0 discard\nexit\n", false},
    {FIRST "add b32 $r0 $c $r4 $r5\nset b32 $r1 e $c\n"
           "quadop rn f32 sub subr sub subr $r0 dall dx $r1 $r1\nexit\n",
     false},
    {FIRST "st b32 wb g[$r4d] $r0\nexit\n", false},
    {FIRST "$p0 exit\nmul ftz rn f32 $r0 $r4 $r5\nexit\n", true},
    /* lanes that have ended keep their registers, and neighbours read them */
    {FIRST "$p0 exit\ntex p lauto all dfp $r0:$r1:$r2:$r3 t2d $t1 $s1 $r2:$r3 ()\nexit\n", false},
    /* read in the next round of a loop */
    {"prebrk #end\nloop:\n" FIRST "$p0 brk\nadd ftz rn f32 $r0 $r4 $r0\nbra #loop\nend:\nexit\n",
     false},
    /* the place where lanes go on is not known */
    {"prebrk pcrel c0[0x0]\n" FIRST "brk\nexit\n"
     "quadop rn f32 sub subr sub subr $r0 dall dx $r4 $r4\nexit\n",
     false},
};

TEST(test_results_that_only_colours_need) {
    for (size_t i = 0; i < LENGTH(rows); i++) {
        struct fermi_stage s;
        header_begin(s.header, PROGRAM_FP);
        struct program *p = stage_program(&s, PROGRAM_FP, rows[i].text, NULL, 0, 0);
        uint32_t at = 0;
        while (p->ops[at].code != OP_TEX)
            at += p->ops[at].words;
        if (p->ops[at].tex.alone != rows[i].alone)
            fail_msg("%s: %s", rows[i].alone ? "not skipped" : "skipped", rows[i].text);
        program_unref(p);
    }
}
