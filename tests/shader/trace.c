/* Whole texts of traces: addresses and instructions, active lanes, stack, lanes and their new
 * values, flags, predicates, results and address registers; selected lanes; the last line. */
#include "shader/trace.h"
#include "tests/shader/fermi_stage.h"
#include "tests/shader/warp_case.h"

static const struct {
    enum program_type type;
    enum isa_variant variant;
    const char *text;
    lane_mask show;
    uint64_t steps;
    const char *expected;
} rows[] = {
    {PROGRAM_VP, ISA_GT215,
     "mov b32 $r9 0x1\nand b32 $c0 $r1 $r0 $r9\njoinat #J\n(lg $c0) bra #J\n"
     "mov b32 $r1 0x3f800000\nJ: join nop\nst b32 o[0x8] $r1\nshl $a1 $r9 0x2\nexit nop\n",
     0xf, 0,
     "0x000000  mov b32 $r9 0x1                                           active ffffffff\n"
     "          $r9       0x00000001 [0-3]\n"
     "0x000008  and b32 $c0 $r1 $r0 $r9                                   active ffffffff\n"
     "          $r1       0x00000001 [1,3]\n"
     "          $c0       ---Z [0,2]\n"
     "0x000010  joinat 0x28                                               active ffffffff\n"
     "          stack  JOINAT 0x000028 ffffffff\n"
     "0x000018  (lg $c0) bra 0x28                                         active ffffffff\n"
     "          stack  JOINAT 0x000028 ffffffff  BRANCH 0x000020 55555555\n"
     "0x000028  join nop                                                  active aaaaaaaa\n"
     "          stack  JOINAT 0x000028 ffffffff\n"
     "0x000020  mov b32 $r1 0x3f800000                                    active 55555555\n"
     "          $r1       0x3f800000 (1) [0,2]\n"
     "          stack  JOINAT 0x000028 ffffffff\n"
     "0x000028  join nop                                                  active 55555555\n"
     "0x000030  st b32 o[0x8] $r1                                         active ffffffff\n"
     "          o[0x8]    0x3f800000 (1) [0,2]  0x00000001 [1,3]\n"
     "0x000038  shl $a1 $r9 0x2                                           active ffffffff\n"
     "          $a1       0x00000004 [0-3]\n"
     "0x000040  exit nop                                                  active ffffffff\n"
     "          exited [0-3]\n"
     "ended after 10 instructions\n"},
    {PROGRAM_VP, ISA_GT215, "mov $c2 $r0\nexit nop\n", 0xffff, 0,
     "0x000000  mov $c2 $r0                                               active ffffffff\n"
     "          $c2       ---Z [1]  --S- [2]  --SZ [3]  -C-- [4]  -C-Z [5]  -CS- [6]  -CSZ [7]  O--- [8]  O--Z [9]  O-S- [10]  O-SZ [11]  OC-- [12]  OC-Z [13]  OCS- [14]  OCSZ [15]\n"
     "0x000008  exit nop                                                  active ffffffff\n"
     "          exited [0-15]\n"
     "ended after 2 instructions\n"},
    {PROGRAM_VP, ISA_GT215, "and b32 $c1 $r1 $r0 $r0\nexit nop\n", 0xfffffff0, 0,
     "0x000000  and b32 $c1 $r1 $r0 $r0                                   active ffffffff\n"
     "          $r1       0x00000004 [4]  0x00000005 [5]  0x00000006 [6]  0x00000007 [7]  0x00000008 [8]  0x00000009 [9]  0x0000000a [10]  0x0000000b [11]  0x0000000c [12]  0x0000000d [13]  0x0000000e [14]  0x0000000f [15]  0x00000010 [16]  0x00000011 [17]  0x00000012 [18]  0x00000013 [19]  0x00000014 [20]  0x00000015 [21]  0x00000016 [22]  0x00000017 [23]  0x00000018 [24]  0x00000019 [25]  0x0000001a [26]  0x0000001b [27]  0x0000001c [28]  0x0000001d [29]  0x0000001e [30]  0x0000001f [31]\n"
     "0x000008  exit nop                                                  active ffffffff\n"
     "          exited [4-31]\n"
     "ended after 2 instructions\n"},
    {PROGRAM_VP, ISA_GT215,
     "mov b32 $r1 0x7f800000\nmov b32 $r2 0x28000000\nmov b32 $r2 0x28800000\n"
     "mov b32 $r2 0x57800000\nmov b32 $r2 0x58000000\nexit nop\n",
     0x80000001, 0,
     "0x000000  mov b32 $r1 0x7f800000                                    active ffffffff\n"
     "          $r1       0x7f800000 [0,31]\n"
     "0x000008  mov b32 $r2 0x28000000                                    active ffffffff\n"
     "          $r2       0x28000000 [0,31]\n"
     "0x000010  mov b32 $r2 0x28800000                                    active ffffffff\n"
     "          $r2       0x28800000 (1.421085e-14) [0,31]\n"
     "0x000018  mov b32 $r2 0x57800000                                    active ffffffff\n"
     "          $r2       0x57800000 (2.81475e+14) [0,31]\n"
     "0x000020  mov b32 $r2 0x58000000                                    active ffffffff\n"
     "          $r2       0x58000000 [0,31]\n"
     "0x000028  exit nop                                                  active ffffffff\n"
     "          exited [0,31]\n"
     "ended after 6 instructions\n"},
    {PROGRAM_VP, ISA_GT215, "L: bra #L\nexit nop\n", 0xf, 2,
     "0x000000  bra 0x0                                                   active ffffffff\n"
     "0x000000  bra 0x0                                                   active ffffffff\n"
     "stopped after 2 instructions\n"},
    {PROGRAM_FP, ISA_GT215,
     "mov b32 $r9 0x3\nand b32 $c0 # $r0 $r9\n(e $c0) discard\nbreakaddr #B\n(s $c0) break\n"
     "call #F\nbreak\nF: (lg $c0) ret\nret\nB: exit nop\n",
     0xffff, 0,
     "0x000000  mov b32 $r9 0x3                                           active ffffffff\n"
     "          $r9       0x00000003 [0-15]\n"
     "0x000008  and b32 $c0 # $r0 $r9                                     active ffffffff\n"
     "          $c0       ---Z [0,4,8,12]\n"
     "0x000010  (e $c0) discard                                           active ffffffff\n"
     "          discarded [0,4,8,12]\n"
     "0x000018  breakaddr 0x48                                            active ffffffff\n"
     "          stack  PREBREAK 0x000048 ffffffff\n"
     "0x000020  (s $c0) break                                             active ffffffff\n"
     "          stack  PREBREAK 0x000048 ffffffff\n"
     "0x000028  call 0x38                                                 active ffffffff\n"
     "          stack  PREBREAK 0x000048 ffffffff  CALL 0x000030 ffffffff\n"
     "0x000038  (lg $c0) ret                                              active ffffffff\n"
     "          returned [1-3,5-7,9-11,13-15]\n"
     "          stack  PREBREAK 0x000048 ffffffff  CALL 0x000030 ffffffff\n"
     "0x000040  ret                                                       active 11111111\n"
     "          stack  PREBREAK 0x000048 ffffffff\n"
     "0x000030  break                                                     active ffffffff\n"
     "0x000048  exit nop                                                  active ffffffff\n"
     "          exited [0-15]\n"
     "ended after 10 instructions\n"},
    {PROGRAM_VP, ISA_GT215, "trap\nexit nop\n", 0xf, 0,
     "0x000000  trap                                                      active ffffffff\n"
     "error: DECODE_ERROR TRAP_INSTRUCTION at 0x000000, warp 0, lanes ffffffff\n"},
    {PROGRAM_CP, ISA_GT215,
     "mov b32 $r9 0x80000000\nmov b32 $r8 0x1\nadd b32 $c0 $r1 $r9 $r9\nadd b32 $c1 $r1 $r8 $r9\nsub b32 $c2 $r1 $r9 $r8\n"
     "add b32 $c3 $r1 $r8 $r8\nexit nop\n",
     0x1, 0,
     "0x000000  mov b32 $r9 0x80000000                                    active ffffffff\n"
     "          $r9       0x80000000 [0]\n"
     "0x000008  mov b32 $r8 0x1                                           active ffffffff\n"
     "          $r8       0x00000001 [0]\n"
     "0x000010  add b32 $c0 $r1 $r9 $r9                                   active ffffffff\n"
     "          $c0       OC-Z [0]\n"
     "0x000018  add b32 $c1 $r1 $r8 $r9                                   active ffffffff\n"
     "          $r1       0x80000001 [0]\n"
     "          $c1       --S- [0]\n"
     "0x000020  sub b32 $c2 $r1 $r9 $r8                                   active ffffffff\n"
     "          $r1       0x7fffffff [0]\n"
     "          $c2       OC-- [0]\n"
     "0x000028  add b32 $c3 $r1 $r8 $r8                                   active ffffffff\n"
     "          $r1       0x00000002 [0]\n"
     "0x000030  exit nop                                                  active ffffffff\n"
     "          exited [0]\n"
     "ended after 7 instructions\n"},
    {PROGRAM_CP, ISA_G200, "bar inc wait 0x3 all\nexit nop\n", 0xf, 0,
     "0x000000  bar inc wait 0x3 all                                      active ffffffff\n"
     "0x000008  exit nop                                                  active ffffffff\n"
     "          exited [0-3]\n"
     "ended after 2 instructions\n"},
    {PROGRAM_CP, ISA_GF100,
     "set $p1 0x1 lt u32 $r0 0xa\n$p1 mov b32 $r2 0x5\nset $p1 0x1 lt u32 $r0 0x2\nexit\n", 0xffff,
     0,
     "0x000000  set $p1 0x1 lt u32 $r0 0xa                                active ffffffff\n"
     "          $p1       true [0-9]\n"
     "0x000008  $p1 mov b32 $r2 0x5                                       active ffffffff\n"
     "          $r2       0x00000005 [0-9]\n"
     "0x00000c  set $p1 0x1 lt u32 $r0 0x2                                active ffffffff\n"
     "          $p1       true [0-1]\n"
     "0x000014  exit                                                      active ffffffff\n"
     "          exited [0-15]\n"
     "ended after 4 instructions\n"},
    {PROGRAM_CP, ISA_GF100,
     "prelongjmp #o\nprebrk #b\nprecont #c\nset $p0 0x1 lt u32 $r0 0x3\n$p0 brk\n"
     "cont\nc: brk\nb: longjmp\no: exit\n",
     0xff, 0,
     "0x000000  prelongjmp 0x40                                           active ffffffff\n"
     "          stack  LONGJMP 0x000040 ffffffff\n"
     "0x000008  prebrk 0x38                                               active ffffffff\n"
     "          stack  LONGJMP 0x000040 ffffffff  PREBREAK 0x000038 ffffffff\n"
     "0x000010  precont 0x30                                              active ffffffff\n"
     "          stack  LONGJMP 0x000040 ffffffff  PREBREAK 0x000038 ffffffff  PRECONT 0x000030 ffffffff\n"
     "0x000018  set $p0 0x1 lt u32 $r0 0x3                                active ffffffff\n"
     "          $p0       true [0-2]\n"
     "          stack  LONGJMP 0x000040 ffffffff  PREBREAK 0x000038 ffffffff  PRECONT 0x000030 ffffffff\n"
     "0x000020  $p0 brk                                                   active ffffffff\n"
     "          broke [0-2]\n"
     "          stack  LONGJMP 0x000040 ffffffff  PREBREAK 0x000038 ffffffff  PRECONT 0x000030 ffffffff\n"
     "0x000028  cont                                                      active fffffff8\n"
     "          stack  LONGJMP 0x000040 ffffffff  PREBREAK 0x000038 ffffffff\n"
     "0x000030  brk                                                       active fffffff8\n"
     "          stack  LONGJMP 0x000040 ffffffff\n"
     "0x000038  longjmp                                                   active ffffffff\n"
     "0x000040  exit                                                      active ffffffff\n"
     "          exited [0-7]\n"
     "ended after 9 instructions\n"},
};

TEST(test_texts) {
    for (size_t i = 0; i < LENGTH(rows); i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        CASE_AT(c, simd_best(), rows[i].type, rows[i].variant, LANES_ALL, rows[i].text);
        trace_warp(c.w, &c.env, &(struct trace_options){out, rows[i].show, rows[i].steps});
        fclose(out);
        if (strcmp(text, rows[i].expected)) {
            fputs(text, stderr); /* the whole text, because fail messages are cut */
            fail_msg("row %zu", i);
        }
        free(text);
    }
}

/* Code elsewhere that a program calls is printed like the program's own. */
TEST(test_library) {
    static const uint32_t bases[] = {0x2000, 0x1000};
    for (size_t i = 0; i < LENGTH(bases); i++) {
        STAGE(s);
        char *text = NULL, source[128], expected[512];
        size_t size = 0;
        FILE *out = open_memstream(&text, &size);
        header_begin(s.header, PROGRAM_VP);
        snprintf(source, sizeof source, ".section #C 0x%x\nlong mov b32 $r1 0x5\nret\n", bases[i]);
        struct asm_result library = assembled(ISA_GF100, PROGRAM_VP, source);
        snprintf(source, sizeof source, "call abs 0x%x\nexit\n", bases[i]);
        struct program *p =
            stage_program(&s, PROGRAM_VP, source, library.words, library.count, bases[i]);
        stage_start(&s, simd_best(), false, p, LANES_ALL, 0);
        trace_warp(s.w, &s.env, &(struct trace_options){.out = out, .show = 1, .max_steps = 2});
        fclose(out);
        snprintf(expected, sizeof expected,
                 "0x001050  %-56s  active ffffffff\n"
                 "          stack  CALL 0x001058 ffffffff\n"
                 "0x%06x  %-56s  active ffffffff\n"
                 "          $r1       0x00000005 [0]\n"
                 "stopped after 2 instructions\n",
                 strtok(source, "\n"), bases[i], "mov b32 $r1 0x5");
        assert_string_equal(text, expected);
        free(text);
        asm_result_free(&library);
    }
}
