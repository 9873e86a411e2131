/* Every instruction of the opcode map executed once or more: program text, a fixed start state, and
 * what must have changed afterwards. In: the table below; the whole state is compared, so whatever
 * a case does not name must have stayed as it was. Also: the opcode map itself
 * (tesla-isa.md §3.3): every cell has a case here, every blank is an illegal opcode.
 */
#include "tests/fences.h"
#include "tests/shader/warp_case.h"

enum { GLOBAL_WORDS = 16, PRIM_WORDS = 4 * 0x20, CONST_WORDS = 64, SHARED_WORDS = 64, LOG = 256 };

/* The start state, lane i:
 *   $r0 i   $r1 12345678   $r2 80000001   $r3 100 + i   $r4 1.0   $r5 2.5   $r6 -3.0   $r7 00070003
 *   $r8d 1.5   $r10d 2.0   $r12d -0.25   $r14 4 * i   $r15 ffffffff   $r16 i as a float
 *   $rN d0000000 + N   $a1 4 * i   $a2 8   $a3 40   $a4 i   $cN (i + N) & 15
 *   a[] word k a000 + 100 * k + i   p[] word k 7 * k   c<n>[] word k 1000000 * n + 8 * k
 *   s[] word k 51000000 + k   g0[] word k 91000000 + k   o[] l[] 0
 *   v[] word 0 = 2.0, word 1 = x, word 2 = 7.0; flat values f1a70000 + word; x = i, centroid + 0.5
 */
struct exec_case {
    enum isa_variant variant;
    enum program_type type;
    const char *text;
    /* Changes, separated by blanks: NAME[@LANES]=VALUE[+STEP][&MASK][|BITS], all hexadecimal, VALUE
     * for lane 0 and STEP more in each lane. NAME: rN aN cN (decimal N); oN lN sN gN (word N);
     * dead, reads, writes (out-of-range accesses). */
    const char *changes;
    const char *calls; /* what the texture and emit ports were asked for; "" nothing */
    const char *error; /* NULL: the warp ends */
};

#define RUNS(v, t, text, changes) {ISA_##v, PROGRAM_##t, text, changes, "", NULL}
#define CALLS(v, t, text, changes, calls) {ISA_##v, PROGRAM_##t, text, changes, calls, NULL}
#define FAILS(v, t, text, error) {ISA_##v, PROGRAM_##t, text, "", "", error}

static const struct exec_case cases[] = {
    /* ---- 0: moves, $a, o[] */
    RUNS(G80, VP, "ld b32 $r20 a[$a2+0x4]", "r20=a300+1"),
    RUNS(G80, GP, "(l13) ld b32 $r20 a[0x4]", "r20@aaaaaaaa=a100+1"),
    RUNS(G80, VP, "ld b32 o[0x4] a[$a2+0x40]", "o1=0 reads=20"),
    RUNS(G80, FP, "mov $r20 $c1", "r20=1+1&f"),
    RUNS(G80, FP, "(s $c0) mov $r20 $c0", "r20@cccccccc=0+1&f"),
    RUNS(G80, CP, "mov $r20 $a1", "r20=0+4"),
    RUNS(G80, CP, "mov $r20 0x0", "r20=0"),
    RUNS(G80, CP, "mov $r20 $physid", "r20=230500+1"),
    RUNS(G80, CP, "mov $r20 $clock\nmov $r21 $clock", "r20=1 r21=2"),
    RUNS(G80, CP, "mov $r20 $vstride", "r20=20"),
    RUNS(G80, CP, "mov $r20 $pm0\nmov $r21 $pm1\nmov $r22 $pm2\nmov $r23 $pm3",
         "r20=0 r21=0 r22=0 r23=0"),
    RUNS(GT215, FP, "mov $r20 $sampleid", "r20=3"),
    RUNS(MCP77, FP, "mov $r20 $sampleid", "r20=0"),
    RUNS(G80, VP, "st b32 o[$a2+0x4] $r1", "o3=12345678"),
    RUNS(G80, GP, "(o $c0) st b32 o[$a2+0x4] $r3", "o3@ff00ff00=64+1"),
    RUNS(G80, FP, "mov $c2 $r3", "c2=64+1&f"),
    RUNS(G80, FP, "shl $a1 $r3 0x2", "a1=190+4"),
    RUNS(G80, FP, "shl $a4 $r1 0xc", "a4=8000"),
    RUNS(G80, VP, "shl $a1 a[0x4] 0x0", "a1=a100+1"),
    RUNS(G80, GP, "shl $a1 p[$a2+0x4] 0x1", "a1=230"),
    RUNS(G80, CP, "shl $a1 u16 s[$a2+0x2] 0x1", "a1=a200"),
    RUNS(G80, CP, "st b8 s[0x10] $r1l\nst b8 s[0x15] $r1", "s4=51000078 s5=51007805"),
    RUNS(G80, CP, "st b16 s[0x12] $r1h\nst b16 s[$a2+0xc] $r1", "s4=12340004 s5=51005678"),
    RUNS(G80, CP, "st b32 s[$a2++0x10] $r1\nmov $r20 $a2", "s2=12345678 a2=18 r20=18"),
    RUNS(G80, CP, "(l $c0) st b32 s[$a1+0x80] $r3",
         "s34=66 s38=6a s40=6c s41=6d s43=6f s44=70 s45=71 s47=73 s50=76 s54=7a s56=7c s57=7d "
         "s59=7f "
         "s60=80 s61=81 s63=83"),
    RUNS(G80, CP, "st b32 s[$a3+0xc0] $r1", "writes=20"),
    RUNS(G200, CP, "st unlock b32 s[0x10] $r1", "s4=12345678"),
    /* ---- 1: mov, c[], s[], vote */
    RUNS(G80, FP, "mov b32 $r20 $r1", "r20=12345678"),
    RUNS(G80, FP, "mov b16 $r20h $r1l", "r20=56780014"),
    RUNS(G80, FP, "mov sfu b32 $r20 $r1", "r20=12345678"),
    RUNS(G80, VP, "mov b32 $r20 a[0x8]", "r20=a200+1"),
    RUNS(G80, GP, "mov b32 $r20 p[$a2+0x8]", "r20=1f8"),
    RUNS(G80, CP, "mov b32 $r20 u8 s[0x7]", "r20=51"),
    RUNS(G80, CP, "mov b16 $r20l s16 s[0x6]", "r20=d0005100"),
    RUNS(G80, CP, "mov b32 $r20 b32 s[$a1++0x4]", "r20=51000000+1 a1=4+4"),
    RUNS(G80, FP, "mov b32 $r20 0xdeadbeef\nmov b32 $r63 0x1", "r20=deadbeef r63=1"),
    RUNS(G80, FP, "mov b16 $r20h 0x1234", "r20=12340014"),
    RUNS(G80, FP, "(l02) mov b32 $r20 $r1", "r20@55555555=12345678"),
    RUNS(G80, FP, "(lnone) mov b32 $r20 $r1", ""),
    RUNS(G80, FP, "(e $c0) (l123) mov b16 $r20l $r1l", "r20@22222222=d0005678"),
    RUNS(G80, FP, "mov b32 # $r1", ""),
    RUNS(G80, VP, "mov b32 o[0x8] $r1", "o2=12345678"),
    RUNS(G80, VP, "mov b16 o[0x8] $r1h", "o2=12341234"),
    RUNS(G80, VP, "mov b16 o[0xa] $r1l", "o2=56785678"),
    RUNS(G80, GP, "mov b32 o[0x40] p[$a2+0x4]", "writes=20"),
    RUNS(G80, GP, "mov b32 $r20 p[$a2+0x20]", "r20=0 reads=20"),
    RUNS(G80, FP, "ld $r20 b32 c1[0x10]", "r20=1000020"),
    RUNS(G80, FP, "ld $r20 u8 c1[0x13]\nld $r21 u16 c1[0x12]", "r20=1 r21=100"),
    RUNS(G80, FP, "ld $r20 s16 c2[$a1+0x0]", "r20=0+8"),
    RUNS(G80, FP, "ld $r20h u16 c1[$a2++0x6]\nld $r21l u8 c1[$a2+0x0]",
         "r20=100014 r21=d0000000 a2=e"),
    RUNS(G80, FP, "ld # b32 c1[0x100]", "reads=20"),
    RUNS(G84, CP, "ld $r20 b32 s[$a2+0x4]", "r20=51000003"),
    RUNS(G84, CP, "ld $r20 u8 s[0x7]\nld $r21 s16 s[0x6]\nld $r22h u16 s[0x6]",
         "r20=51 r21=5100 r22=51000016"),
    RUNS(G84, CP, "ld $r20 b32 s[$a1++0xfffffffffffffffc]", "r20=51000000+1 a1=fffc+4&ffff"),
    RUNS(G200, CP, "ld lock $c1 $r20 b32 s[$a1+0x0]", "r20=51000000+1 c1=2"),
    RUNS(G200, CP, "ld lock $c1 $r20 b32 s[0x4]", "r20@1=51000001 c1@1=2 c1@fffffffe=1"),
    RUNS(G200, CP, "(e $c0) vote any $c1\n(never) vote any $c2", "c1=2 c2=1"),
    RUNS(G200, FP, "(e $c0) vote all $c1\nvote all $c2", "c1=1 c2=2"),
    RUNS(G200, CP, "xor b32 $c1 # $r1 $r1\n(e $c1) vote all $c2", "c1=1 c2=2"),
    RUNS(G200, CP, "xor b32 $c3 # $r1 $r1\n(e $c3) vote all $c1\n(lg $c3) vote any $c2",
         "c3=1 c1=2 c2=1"),
    /* ---- 2, 3: addition, comparison, shifts */
    RUNS(G80, FP, "add b32 $r20 $r1 $r3", "r20=123456dc+1"),
    RUNS(G80, FP, "sub b16 $r20l $r1h $r7l", "r20=d0001231"),
    RUNS(G80, FP, "sub sat b32 $r20 $r2 $r1", "r20=80000000"),
    RUNS(G80, FP, "add b32 $r20 $r1 c1[0x10]", "r20=13345698"),
    RUNS(G80, FP, "add b16 $r20l $r7h c1[$a2+0x4]", "r20=d000001f"),
    RUNS(G80, VP, "add b32 $r20 a[0x4] $r3", "r20=a164+2"),
    RUNS(G80, GP, "add b32 $r20 p[$a2+0x4] $r3", "r20=17c+1"),
    RUNS(G80, CP, "add b32 $r20 s16 s[$a1++0x2] $r3", "r20=64+2 a1=2+4"),
    RUNS(G80, CP, "add b32 $r20 b32 s[0x10] 0x7f", "r20=51000083"),
    RUNS(G80, FP, "sub b16 $r20h $r7h 0x10009", "r20=fffe0014"),
    RUNS(G80, GP, "add b32 $r20 p[$a2+0x4] 0x1", "r20=119"),
    RUNS(G80, FP, "add b32 $c1 $r20 $r15 $r0", "r20=ffffffff+1 c1@1=2 c1@2=5 c1@fffffffc=4"),
    RUNS(G80, FP, "(o $c0) sub b32 sat $c2 # $r2 $r1", "c2@ff00ff00=e"),
    RUNS(G80, VP, "add b32 o[0x4] a[0x8] c1[$a2+0x8]", "o1=100a220+1"),
    RUNS(G80, GP, "add b32 $r20 p[$a2+0x4] $r3\nadd b32 $r21 a[0x4] $r3", "r20=17c+1 r21=a164+2"),
    RUNS(G80, CP, "add b32 $c1 $r20 u8 s[$a1++0x4] $r0", "r20=0+2 a1=4+4 c1@1=1 c1@fffffffe=0"),
    RUNS(G80, FP, "subr b32 $r20 $r3 $r1", "r20=12345614-1"),
    RUNS(G80, FP, "addc b32 $r20 $r1 $r1 $c0", "r20@0f0f0f0f=2468acf0 r20@f0f0f0f0=2468acf1"),
    RUNS(G80, FP, "addc b32 $r20 $r1 0x1 $c0", "r20@0f0f0f0f=12345679 r20@f0f0f0f0=1234567a"),
    RUNS(G80, FP, "subr b16 $r20l $r7l 0x5", "r20=d0000002"),
    RUNS(G80, FP, "addc b32 $c3 $r20 $r1 $r1 $c1",
         "r20@87878787=2468acf0 r20@78787878=2468acf1 c3=0"),
    RUNS(G80, FP, "set $c1 $r20 l s32 $r2 $r1", "r20=ffffffff c1=2"),
    RUNS(G80, FP, "set $c1 $r20h ge u16 $r7l $r7h", "r20=14 c1=1"),
    RUNS(G80, VP, "set $r20 e u32 a[0x4] c0[0x0]", "r20=0"),
    RUNS(G80, FP, "max u32 $c1 $r20 $r2 $r1", "r20=80000001 c1=2"),
    RUNS(G80, FP, "max s16 $r20l $r7h $r15l", "r20=d0000007"),
    RUNS(G80, FP, "min s32 $c1 $r20 $r2 $r1", "r20=80000001 c1=2"),
    RUNS(G80, FP, "min u16 $r20l $r7h $r15l", "r20=d0000007"),
    RUNS(G80, FP, "shl b32 $c1 $r20 $r2 0x1", "r20=2 c1=c"),
    RUNS(G80, FP, "shl b16 $r20l $r7l $r7h", "r20=d0000180"),
    RUNS(G80, FP, "shl b32 $r20 $r15 $r0",
         "r20@1=ffffffff r20@80000000=80000000 r20@2=fffffffe "
         "r20@4=fffffffc r20@7ffffff8=-"),
    RUNS(G80, FP, "shr s32 $c1 $r20 $r2 0x1f", "r20=ffffffff c1=2"),
    RUNS(G80, FP, "shr u32 $c1 $r20 $r2 0x1", "r20=40000000 c1=c"),
    RUNS(G80, FP, "shr u16 $r20l $r1l $r7l", "r20=d0000acf"),
    /* ---- 4 to 7: multiplication, sad */
    RUNS(G80, FP, "mul $r20 u16 $r7l u16 $r7h", "r20=15"),
    RUNS(G80, FP, "mul $r20 high u24 $r1 $r1", "r20=ab33df4"),
    RUNS(G80, CP, "mul $r20 s16 s16 s[$a2+0x2] u16 $r7h", "r20=23700"),
    RUNS(G80, FP, "mul $r20 s24 $r15 0x7", "r20=fffffff9"),
    RUNS(G80, FP, "mul $r20 u16 $r7l s16 0xffff", "r20=fffffffd"),
    RUNS(G80, FP, "mul $c1 $r20 s16 $r15l u16 $r7h", "r20=fffffff9 c1=2"),
    RUNS(G80, FP, "mul $c1 $r20 u24 $r15 c1[0x10]", "r20=1fffffe0 c1=0"),
    RUNS(G80, FP, "sad $r20 u32 $r0 $r3 $r20", "r20=d0000078"),
    RUNS(G80, FP, "sad $r20 s16 $r15l $r7h $r20", "r20=d000001c"),
    RUNS(G80, FP, "sad $c1 $r20 u16 $r7l $r7h $r15", "r20=3 c1=4"),
    RUNS(G80, FP, "sad $c1 $r20 s32 $r2 $r15 $r0", "r20=7ffffffe+1 c1@3=0 c1@fffffffc=a"),
    RUNS(G80, FP, "add $r20 (mul u16 $r7l $r7h) $r20", "r20=d0000029"),
    RUNS(G80, FP, "sub $r20 (mul s16 $r15l $r7h) $r20", "r20=2fffffe5"),
    RUNS(G80, FP, "subr sat $r20 (mul s16 $r15l $r7h) $r20", "r20=d000001b"),
    RUNS(G80, FP, "addc $r20 (mul u24 $r7 $r7) $r20 $c0",
         "r20@0f0f0f0f=d02a001d r20@f0f0f0f0=d02a001e"),
    RUNS(G80, FP, "add $r20 (mul u16 $r7l 0x10003) $r20", "r20=d000001d"),
    RUNS(G80, FP, "subr $r20 (mul u24 $r7 0x2) $r20", "r20=cff2000e"),
    RUNS(G80, FP, "add $c1 $r20 (mul u16 $r15l $r15l) $r15", "r20=fffe0000 c1=6"),
    RUNS(G80, FP, "add $r20 (mul s16 $r15l $r7h) $r3", "r20=5d+1"),
    RUNS(G80, FP, "add sat $c1 $r20 (mul s16 $r15l $r7h) $r2", "r20=80000000 c1=e"),
    RUNS(G80, FP, "add $r20 (mul u24 $r15 $r7) $r0", "r20=2f8fffd+1"),
    RUNS(G80, FP, "add $r20 (mul s24 $r15 $r7) $r0", "r20=fff8fffd+1"),
    RUNS(G80, FP, "subr sat $c1 $r20 (mul s24 $r15 $r7) $r2", "r20=80070004 c1=2"),
    RUNS(G80, FP, "add $r20 (mul high u24 $r15 $r15) $r0", "r20=fffffe00+1"),
    RUNS(G80, FP, "add $r20 (mul high s24 $r15 $r7) $r0", "r20=fffffff8+1"),
    RUNS(G80, FP, "subr sat $c0 $r20 (mul high s24 $r15 $r7) c1[0x10]", "r20=1000028 c0=0"),
/* secondaries 1 to 7 of primary 7 are all u24 */
#define U24(w1) RUNS(G80, FP, ".b32 0x70070e51 " w1, "r20=2a0009+1")
    U24("0x20000780"),
    U24("0x40000780"),
    U24("0x60000780"),
    U24("0x80000780"),
    U24("0xa0000780"),
    U24("0xc0000780"),
    U24("0xe0000780"),
    /* ---- 8, 9: interp, special functions */
    RUNS(G80, FP, "interp $r20 v[0x0]", "r20=40000000"),
    RUNS(G80, FP, "interp $r20 cent v[0x4]\ncvt rmi u32 $r20 f32 $r20", "r20=0+1"),
    RUNS(G80, FP, "interp $r20 v[0x0] $r5", "r20=40a00000"),
    RUNS(G80, FP, "interp $r20 flat v[0x4]", "r20=f1a70001"),
    RUNS(G80, FP, "interp $r20 flat v[0x3fc]", "r20=ffffffff"),
    RUNS(G80, FP, "interp $r20 v[$a2+0x0]", "r20=40e00000"),
    RUNS(G80, FP, "long interp $r20 v[$a4+0x8]", "r20@f=40e00000 r20@fffffff0=0 reads=1c"),
    RUNS(G80, FP, "(e $c0) interp $r20 v[0x0]", "r20@22222222=40000000"),
    RUNS(G80, FP, "long interp $r20 cent v[0x4] neg $r4\ncvt neg rpi u32 $r20 f32 $r20", "r20=1+1"),
    RUNS(G80, FP, "long interp $r20 flat v[0x8]", "r20=f1a70002"),
    RUNS(G80, FP, "interp $r20 v[0xc]", "r20=0 reads=20"),
    RUNS(G80, FP, "rcp f32 $r20 $r4\nrcp f32 $r21 neg abs $r6", "r20=3f800000 r21=beaaaaab"),
    RUNS(G80, VP, "(o $c0) rcp f32 o[0x4] neg $r5", "o1@ff00ff00=becccccd"),
    RUNS(G80, FP, "rsqrt f32 $r20 abs $r6\nrsqrt f32 $r21 $r4", "r20=3f13cd3a r21=3f800000"),
    RUNS(G80, FP, "lg2 f32 $r20 $r4\nlg2 f32 $r21 $r6", "r20=0 r21=7fffffff"),
    RUNS(G80, FP, "mov b32 $r20 0x0\nsin f32 $r21 $r20\ncos f32 $r22 $r20",
         "r20=0 r21=0 r22=3f800000"),
    RUNS(G80, FP, "mov b32 $r20 0x0\nex2 f32 $r21 $r20\nex2 f32 sat $r22 $r4",
         "r20=0 r21=3f800000 r22=3f800000"),
    /* ---- a: cvt, w1.29 is neg */
    RUNS(G80, FP, "cvt s32 $c1 $r20 s16 $r15l", "r20=ffffffff c1=2"),
    RUNS(G80, FP, "cvt u8 $r20l s16 $r15l", "r20=d0000000"),
    RUNS(G80, FP, "cvt abs s32 $r20 s8 $r15\ncvt s8 $r21 u32 $r1", "r20=1 r21=7f"),
    RUNS(G80, VP, "cvt u32 o[0x4] u32 a[0x4]", "o1=a100+1"),
    RUNS(G80, CP, "cvt s32 $r20 u8 u8 s[$a1++0x1]", "r20=0+1 a1=1+4"),
    RUNS(G80, FP, "cvt neg s32 $r20 u16 $r7h", "r20=fffffff9"),
    RUNS(G80, FP, "cvt rn f32 $c1 $r20 u32 $r0", "r20=- c1@1=1 c1@fffffffe=0"),
    RUNS(G80, FP, "cvt rn f16 $r20l s8 $r15", "r20=d000bc00"),
    RUNS(G80, FP, "cvt neg sat rz f32 $r20 s32 $r15", "r20=3f800000"),
    RUNS(G80, FP, "cvt rni u32 $r20 f32 $r5\ncvt rzi s32 $r21 f32 $r6", "r20=2 r21=fffffffd"),
    RUNS(G80, FP, "cvt neg rpi s16 $c1 $r20l f32 $r5", "r20=d000fffe c1=2"),
    RUNS(G80, FP, "cvt rn f16 $r20h f32 $r5\ncvt f32 $r21 f16 $r20h", "r20=41000014 r21=40200000"),
    RUNS(G80, FP, "cvt neg sat rni f32 $c1 $r20 f32 $r6", "r20=3f800000 c1=0"),
    RUNS(G200, CP, "cvt rn f64 $r20d s32 $r15", "r20=0 r21=bff00000"),
    RUNS(G200, CP, "cvt neg abs rni s32 $c1 $r20 f64 $r8d", "r20=fffffffe c1=2"),
    RUNS(G200, CP, "cvt neg rz f32 $r20 f64 $r12d\ncvt f64 $r22d f32 $r5",
         "r20=3e800000 r22=0 r23=40040000"),
    RUNS(G200, CP, "cvt rn f32 $r20 u64 $r14d", "r20=5f800000"),
    /* ---- b, c, e: float */
    RUNS(G80, FP, "add f32 $r20 $r4 $r5", "r20=40600000"),
    RUNS(G80, FP, "add sat f32 $r20 neg $r4 c1[0x0]", "r20=0"),
    RUNS(G80, VP, "add f32 $r20 neg $r5 0x3f800000", "r20=bfc00000"),
    RUNS(G80, FP, "add rz f32 $c1 $r20 neg $r4 $r5", "r20=3fc00000 c1=0"),
    RUNS(G80, FP, "(c $c0) add sat rn f32 $c1 $r20 $r4 neg $r5", "r20@f0f0f0f0=0 c1@f0f0f0f0=1"),
    RUNS(G80, FP, "set $c1 $r20 l f32 $r4 neg $r6", "r20=ffffffff c1=2"),
    RUNS(G80, FP, "max f32 $c1 $r20 $r4 abs $r6", "r20=40400000 c1=0"),
    RUNS(G80, FP, "min f32 $c1 $r20 $r4 neg abs $r5", "r20=c0200000 c1=2"),
    RUNS(G80, FP, "presin f32 $r20 neg $r4\npreex2 f32 $r21 abs $r6", "r20=80517cc1 r21=1800000"),
    RUNS(G80, CP, "preex2 f32 $r20 u8 s[0x3]", "r20=0"),
    RUNS(G80, FP, "mul f32 $r20 $r5 neg $r6", "r20=40f00000"),
    RUNS(G200, FP, "mul sat f32 $r20 $r5 $r5", "r20=3f800000"),
    RUNS(G80, FP, "mul f32 $r20 neg $r5 0x40000000", "r20=c0a00000"),
    RUNS(G80, FP, "mul rz f32 $c1 $r20 $r5 $r6", "r20=c0f00000 c1=2"),
    RUNS(G80, FP, "slct b32 $c1 $r20 $r1 $r2 f32 $r6", "r20=80000001 c1=2"),
    RUNS(G80, FP, "slct b32 $r20 $r1 $r2 f32 neg $r6", "r20=12345678"),
    RUNS(G80, FP, "quadop f32 sub subr sub subr $r20 dx $r16 $r16", "r20=3f800000"),
    RUNS(G80, FP, "quadop f32 sub sub subr subr $r20 dy $r16 $r16", "r20=40000000"),
    RUNS(G80, FP,
         "mov b32 $r21 0x0\n"
         "quadop f32 add add add add $r20 l2 $r16 $r21\ncvt rni u32 $r20 f32 $r20",
         "r20=0+1&1c|2 r21=0"),
    RUNS(G80, FP, "quadop f32 add subr sub mov2 $c1 $r20 l0 $r4 $r5",
         "r20@11111111=40600000 r20@22222222=3fc00000 r20@44444444=bfc00000 r20@88888888=40200000 "
         "c1@bbbbbbbb=0 c1@44444444=2"),
    RUNS(G80, CP, "quadop f32 sub subr sub subr $r20 dx $r16 $r16", "r20=0"),
    RUNS(G80, FP, "add f32 $r5 (mul $r5 $r6) $r5", "r5=c0a00000"),
    RUNS(G80, VP, "add f32 $r5 neg (mul $r5 0x40000000) neg $r5", "r5=c0f00000"),
    /* A product is cut, but rounded where zero is added. */
    RUNS(
        G80, FP,
        "mov b32 $r1 0x3f800800\nmov b32 $r2 0x3f800801\nmov b32 $r3 0x0\nadd f32 $r20 (mul $r1 $r2) $r3",
        "r1=3f800800 r2=3f800801 r3=0 r20=3f801002"),
    RUNS(G80, FP, "add f32 $c1 $r20 (mul $r5 $r6) $r4", "r20=c0d00000 c1=2"),
    RUNS(G80, FP, "add sat f32 $c1 $r20 neg (mul $r5 $r6) neg $r4", "r20=3f800000 c1=0"),
    RUNS(G200, CP, "fma rn f64 $r20d $r8d $r10d $r12d", "r20=0 r21=40060000"),
    RUNS(G200, FP, "add rz f64 $c1 $r20d neg $r8d $r12d", "r20=0 r21=bffc0000 c1=2"),
    RUNS(G200, VP, "mul rp f64 $r20d neg $r8d $r10d", "r20=0 r21=c0080000"),
    RUNS(G200, CP, "min f64 $r20d $r8d $r12d", "r20=0 r21=bfd00000"),
    RUNS(G200, CP, "max f64 $r20d $r8d abs $r10d", "r20=0 r21=40000000"),
    RUNS(G200, VP, "set $c1 o[0x4] g f64 $r8d $r12d", "o1=ffffffff c1=2"),
    /* ---- d: logic, $a, l[] and g[] */
    RUNS(G80, FP, "and b32 $r20 $r1 0xff00ff00", "r20=12005600"),
    RUNS(G80, CP, "mov2 b32 $r20 not u8 s[0x0] 0x1234", "r20=1234"),
    RUNS(G80, FP, "or b32 $r20 not $r1 0xf", "r20=edcba98f"),
    RUNS(G80, FP, "xor b32 $c1 $r20 $r1 not $r2", "r20=6dcba986 c1=0"),
    RUNS(G80, FP, "mov2 b16 $r20h not $r7l not $r7h", "r20=fff80014"),
    RUNS(G80, VP, "and b32 $c1 # a[0x4] c0[0x0]", "c1=1"),
    RUNS(G80, FP, "add $a2 $a1 0xfff0", "a2=fff0+4&ffff"),
    RUNS(G80, FP, "add $a3 0x0 0x123", "a3=123"),
    RUNS(G80, VP, "st b32 l[$a2+0x4] $r3\nld b32 $r20 l[0xc]", "l3=64+1 r20=64+1"),
    RUNS(G80, GP, "st u8 l[0x5] $r1\nst u16 l[0x6] $r1\nld s8 $r20 l[0x7]\nld u8 $r21 l[0x6]",
         "l1=56787800 r20=56 r21=78"),
    RUNS(G80, FP,
         "st s16 l[0x2] $r2\nst s8 l[0x0] $r15\nld s8 $r20 l[0x0]\nld s16 $r21 l[0x0]\n"
         "ld u16 $r22 l[0x2]",
         "l0=000100ff r20=ffffffff r21=ff r22=1"),
    RUNS(G80, CP, "st b64 l[0x8] $r8d\nld b64 $r20d l[$a2++0x8]",
         "l3=3ff80000 r20=0 r21=3ff80000 a2=10"),
    RUNS(G80, CP, "st b128 l[0x10] $r4q\nld b128 $r20q l[0x10]",
         "l4=3f800000 l5=40200000 l6=c0400000 l7=70003 r20=3f800000 r21=40200000 r22=c0400000 "
         "r23=70003"),
    RUNS(G80, CP, "ld b32 $r20 l[0x40]\nst b32 l[0x40] $r1", "r20=0 reads=20 writes=20"),
    RUNS(G80, CP, "(l $c0) ld b32 $r20 g0[$r14]", "r20@bb44=91000000+1 r20@bb440000=0 reads=8"),
    RUNS(G80, CP,
         "mov b32 $r20 0x7\nld u8 $r21 g0[$r20]\nld s8 $r22 g0[$r20]\n"
         "ld u16 $r23 g0[$r20]\nld s16 $r24 g0[$r20]",
         "r20=7 r21=91 r22=ffffff91 r23=9100 r24=ffff9100"),
    RUNS(G80, CP, "mov b32 $r20 0x10\nld b64 $r22d g0[$r20]\nld b128 $r24q g0[$r20]",
         "r20=10 r22=91000004 r23=91000005 r24=91000004 r25=91000005 r26=91000006 r27=91000007"),
    RUNS(G80, CP, "mov b32 $r20 0x12\nst u8 g0[$r20] $r1\nst s16 g0[$r20] $r2", "r20=12 g4=10004"),
    RUNS(G80, CP, "mov b32 $r20 0x11\nst s8 g0[$r20] $r1\nst u16 g0[$r14] $r7",
         "r20=11 g4=91000003 g0=91000003 g1=91000003 g2=91000003 g3=91000003 g5=91000003 "
         "g6=91000003 g7=91000003 g8=91000003 g9=91000003 g10=91000003 g11=91000003 g12=91000003 "
         "g13=91000003 g14=91000003 g15=91000003 writes=10"),
    RUNS(G80, CP, "mov b32 $r20 0x10\nst b32 g0[$r20] $r1\nst b32 g1[$r20] $r1",
         "r20=10 g4=12345678 writes=20"),
    RUNS(G80, CP, "mov b32 $r20 0x18\nst b64 g0[$r20] $r8d", "r20=18 g6=0 g7=3ff80000"),
    RUNS(G80, CP, "mov b32 $r20 0x30\nst b128 g0[$r20] $r4q",
         "r20=30 g12=3f800000 g13=40200000 g14=c0400000 g15=70003"),
    /* registers beyond the allocation: a g[] store writes nothing, other sources read 0 */
    RUNS(G84, CP, "st b32 g0[$r14] $r100\nst u8 g0[$r14] $r64\nred and b32 g0[$r14] $r100", ""),
    RUNS(G84, CP,
         "st b32 s[0x0] $r100\nst b32 l[0x0] $r100\nmov b32 $r20 $r100\n"
         "mov b32 $r100 $r1",
         "s0=0 r20=0"),
    RUNS(G84, CP, "mov b32 $r20 0x10\nred add u32 g0[$r20] $r0", "r20=10 g4=910001f4"),
    RUNS(G84, CP,
         "mov b32 $r20 0x10\nred max s32 g0[$r20] $r0\nred min u32 g0[$r20] $r4\n"
         "red or b32 g0[$r20] $r2\nred xor b32 g0[$r20] $r1",
         "r20=10 g4=8000001f"),
    RUNS(G84, CP,
         "mov b32 $r20 0x10\nred and b32 g0[$r20] $r1\nred inc u32 g0[$r20] $r15\n"
         "red dec u32 g0[$r20] $r1",
         "r20=10 g4=10000000"),
    RUNS(G200, CP, "mov b32 $r20 0x10\nred add u64 g0[$r20] $r14d",
         "r20=10 g4=910007c4 g5=90ffffe5"),
    RUNS(G200, CP,
         "mov b32 $r20 0x10\nred max u64 g0[$r20] $r14d\nred min u64 g0[$r20] $r8d\n"
         "red and u64 g0[$r20] $r8d\nred inc u64 g0[$r20] $r8d",
         "r20=10"),
    RUNS(G200, CP,
         "mov b32 $r20 0x10\nld max u64 $r22d g0[$r20] $r14d\n"
         "ld or u64 $r24d g0[$r20] $r8d",
         "r20=10 r22=91000004 r23=91000005 r24=91000004 r25=91000005"),
    RUNS(G84, CP, "ld add u32 $r20 g0[$r14] $r3",
         "r20@ffff=91000000+1 r20@ffff0000=0 writes=10 g0=91000064 g1=91000066 g2=91000068 "
         "g3=9100006a g4=9100006c g5=9100006e g6=91000070 g7=91000072 g8=91000074 g9=91000076 "
         "g10=91000078 g11=9100007a g12=9100007c g13=9100007e g14=91000080 g15=91000082"),
    RUNS(G84, CP, "mov b32 $r20 0x10\nexch b32 $r21 g0[$r20] $r0",
         "r20=10 r21=ffffffff+1 r21@1=91000004 g4=1f"),
    RUNS(G84, CP, "mov b32 $r20 0x10\nmov b32 $r21 0x91000004\ncas b32 $r22 g0[$r20] $r21 $r1",
         "r20=10 r21=91000004 r22@1=91000004 r22@fffffffe=12345678 g4=12345678"),
    RUNS(G200, CP, "mov b32 $r20 0x10\nexch b64 $r22d g0[$r20] $r8d",
         "r20=10 r22@1=91000004 r23@1=91000005 r22@fffffffe=0 r23@fffffffe=3ff80000 g4=0 "
         "g5=3ff80000"),
    RUNS(G200, CP, "mov b32 $r20 0x10\nld b64 $r22d g0[$r20]\ncas b64 $r24d g0[$r20] $r22d $r10d",
         "r20=10 r22=91000004 r23=91000005 r24@1=91000004 r25@1=91000005 r24@fffffffe=0 "
         "r25@fffffffe=40000000 g4=0 g5=40000000"),
    FAILS(G84, CP, ".b32 0xd0000001 0xc0c0078c",
          "DECODE_ERROR TRAP_INSTRUCTION at 0x000000, warp 5, lanes "
          "ffffffff"), /* red, operation 3 */
    /* g84 sizes 0-3 work on the whole word with the datum replicated, g200 leaves memory alone */
    RUNS(G84, CP, "mov b32 $r20 0x10\nmov b32 $r21 0x1\n.b32 0xd0002855 0xc0000780",
         "r20=10 r21=1 g4=b1202024"),
    RUNS(G200, CP, "mov b32 $r20 0x10\nmov b32 $r21 0x1\n.b32 0xd0002855 0xc0000780",
         "r20=10 r21=1"),
    /* ---- f: textures, emit */
    CALLS(G80, FP, "texauto all $r20:$r21:$r22:$r23 $t3 $s4 $r20:$r21",
          "r20=100 r21=101 r22=102 r23=103", "auto t3 s4 n2 mask f lanes ffffffff deriv 0 0 0\n"),
    CALLS(G80, FP, "texfetch live $r20:$r21:$r22:$r23 $t129 $s17 $r20:$r21:$r22",
          "r20@ffff0000=100 r21@ffff0000=101 r22@ffff0000=102 r23@ffff0000=103",
          "fetch t129 s17 n3 mask f lanes ffff0000 deriv 0 0 0\n"),
    CALLS(G80, FP, "texauto live deriv $r20:$r21:#:$r22 $t3 $s4 $r20:$r21 0x1 0x0 -0x8",
          "r20@ffff0000=100 r21@ffff0000=101 r22@ffff0000=103",
          "auto t3 s4 n2 mask b lanes ffff0000 deriv 1 0 -8\n"),
    CALLS(G80, FP, "texauto cube all #:$r20:#:# $t3 $s4 $r20:$r21:$r22", "r20=101",
          "auto t3 s4 n3 mask 2 lanes ffffffff cube deriv 0 0 0\n"),
    CALLS(G80, VP, "(o $c0) texfetch all $r20:#:#:# $t3 $s4 $r20:$r21 0x7 0x2 0x3",
          "r20@ff00ff00=100", "fetch t3 s4 n2 mask 1 lanes ff00ff00 7 2 3\n"),
    CALLS(G80, FP, "texbias all $r20:#:#:# $t0 $s0 $r20:$r21:$r22:$r23 0x0 0x0 0x0", "r20=100",
          "bias t0 s0 n4 mask 1 lanes ffffffff deriv 0 0 0\n"),
    CALLS(G80, FP, "texbias cube live #:#:#:$r20 $t0 $s0 $r20:$r21:$r22:$r23", "r20@ffff0000=103",
          "bias t0 s0 n4 mask 8 lanes ffff0000 cube deriv 0 0 0\n"),
    CALLS(G80, VP, "texlod all $r20:#:#:# $t0 $s0 $r20:$r21 0x0 0x0 0x0", "r20=100",
          "lod t0 s0 n2 mask 1 lanes ffffffff 0 0 0\n"),
    CALLS(G80, CP, "texlod cube all deriv $r20:#:#:# $t0 $s0 $r20:$r21:$r22:$r23", "r20=100",
          "lod t0 s0 n4 mask 1 lanes ffffffff cube deriv 0 0 0\n"),
    CALLS(G80, GP, "texsize all $r20:$r21:#:# $t1 $s0 $r20", "r20=100 r21=101",
          "size t1 s0 n1 mask 3 lanes ffffffff 0 0 0\n"),
    CALLS(GT215, FP, "texprep cube all $r20:$r21:$r22:# $t1 $s0 $r20:$r21:$r22:$r23",
          "r20=100 r21=101 r22=102", "prep t1 s0 n4 mask 7 lanes ffffffff cube deriv 0 0 0\n"),
    CALLS(GT215, FP, "texquerylod live $r20:$r21:#:# $t1 $s0 $r20:$r21",
          "r20@ffff0000=100 r21@ffff0000=101",
          "querylod t1 s0 n2 mask 3 lanes ffff0000 deriv 0 0 0\n"),
    CALLS(G80, FP, "texcsaa all $r20:#:#:# $t1 $s0 $r20:$r21 0x0 0x0 0x0", "r20=100",
          "csaa t1 s0 n2 mask 1 lanes ffffffff deriv 0 0 0\n"),
    CALLS(GT215, FP, "texgather live $r20:$r21:$r22:$r23 $t0 $s0 $r20:$r21 0x1 -0x1 0x0",
          "r20@ffff0000=100 r21@ffff0000=101 r22@ffff0000=102 r23@ffff0000=103",
          "gather t0 s0 n2 mask f lanes ffff0000 deriv 1 -1 0\n"),
    CALLS(GT215, FP, "texgather cube all $r20:#:#:# $t0 $s0 $r20:$r21:$r22", "r20=100",
          "gather t0 s0 n3 mask 1 lanes ffffffff cube deriv 0 0 0\n"),
    CALLS(G80, GP, "emit\n(o $c0) restart\nemit restart", "",
          "emit ffffffff\nrestart ff00ff00\nemit ffffffff\nrestart ffffffff\n"),
    RUNS(G80, FP, "long nop\n(e $c0) nop\njoinat #j\nj: join nop\npmevent 0x5", ""),
    /* ---- control */
    RUNS(G80, FP, "(s $c0) discard", "dead=ccccffff"),
    FAILS(G80, VP, ".b32 0x00000003 0x00000780",
          "DECODE_ERROR ILLEGAL_OPCODE at 0x000000, warp 5, lanes ffffffff"),
    RUNS(G80, CP, "bra #e\nmov b32 $r20 $r1\ne: long nop", ""),
    RUNS(G80, CP, "(e $c0) bra #e\nmov b32 $r20 $r1\ne: long nop", "r20@dddddddd=12345678"),
    RUNS(G80, CP, "call #f\nbra #e\nf: mov b32 $r20 $r1\nret\ne: long nop", "r20=12345678"),
    RUNS(G80, CP, "call lim #f\nbra #e\nf: mov b32 $r20 $r1\nret\ne: long nop", "r20=12345678"),
    RUNS(G80, CP, "(e $c0) ret\nmov b32 $r20 $r1", "r20@dddddddd=12345678"),
    RUNS(G80, CP, "breakaddr #x\n(e $c0) break\nmov b32 $r20 $r1\nbreak\nx: mov b32 $r21 $r1",
         "r20@dddddddd=12345678 r21=12345678"),
    RUNS(G80, FP, "(e $c0) ret\nquadon\nmov b32 $r20 $r1\nquadpop\nmov b32 $r21 $r1",
         "r20=12345678 r21@dddddddd=12345678"),
    RUNS(G80, CP, "bar inc wait 0x0 all\nbar inc 0x1 0x1\nbar wait 0x1 all", ""),
    FAILS(G80, CP, "trap\ntrap",
          "DECODE_ERROR TRAP_INSTRUCTION at 0x000000, warp 5, lanes ffffffff"),
    FAILS(G80, CP, "long trap",
          "DECODE_ERROR TRAP_INSTRUCTION at 0x000000, warp 5, lanes ffffffff"),
    RUNS(G80, CP,
         "joinat #j\n(e $c0) bra #e\nmov b32 $r20 $r1\nbra #j\ne: mov b32 $r21 $r1\n"
         "j: join mov b32 $r22 $r1",
         "r20@dddddddd=12345678 r21@22222222=12345678 r22=12345678"),
    RUNS(G84, CP, "brkpt\nbrkpt\nlong brkpt\n(e $c0) brkpt", ""),
    FAILS(G80, CP, ".b32 0xb0000002",
          "DECODE_ERROR ILLEGAL_OPCODE at 0x000000, warp 5, lanes ffffffff"),
    RUNS(G200, CP, "bra c0[0xc]\nlong mov b32 $r20 $r1\nlong nop\nlong mov b32 $r21 $r1",
         "r21=12345678"),
    RUNS(MCP77, CP, "bra lim c0[$a2+0x4]\nlong mov b32 $r20 $r1\nlong nop\nlong mov b32 $r21 $r1",
         "r21=12345678"),
    RUNS(G200, CP, "preret #f\nmov b32 $r20 $r1\nret\nmov b32 $r22 $r1\nf: mov b32 $r21 $r1",
         "r20=12345678 r21=12345678"),
    RUNS(MCP77, CP, "preret lim #f\nret\nmov b32 $r22 $r1\nf: mov b32 $r21 $r1", "r21=12345678"),
};
enum { CASES = sizeof cases / sizeof *cases };

/* ---- the state compared */

struct state {
    u32x32 r[CASE_REGS], a[8], out[CASE_OUT], local[CASE_LOCAL / 4];
    uint32_t flags[4][LANES]; /* Z S C O as bits 0 to 3 */
    uint32_t s[SHARED_WORDS], g[GLOBAL_WORDS];
    uint32_t dead, reads, writes;
    char calls[LOG];
};

/* The lanes of these are left out of the comparison: values a case does not foretell. */
struct unspecified {
    lane_mask r[CASE_REGS];
};

static const struct plane planes[3] = {
    {2, 0, 0, 0xf1a70000}, {0, 1, 0, 0xf1a70001}, {7, 0, 0, 0xf1a70002}};
static const struct plane_set plane_set = {~0u, 3, planes};

struct sampler {
    struct tex_binding binding;
    struct machine *m;
};

struct machine {
    struct warp_case c;
    struct sampler sampler;
    const struct tex_binding *slot;
    struct emit_port emit;
    uint32_t consts[16][CONST_WORDS], prim[PRIM_WORDS];
    _Alignas(16) uint32_t g[GLOBAL_WORDS];
    char calls[LOG];
};

static void say(struct machine *m, const char *format, ...) {
    va_list list;
    const size_t n = strlen(m->calls);
    va_start(list, format);
    vsnprintf(m->calls + n, sizeof m->calls - n, format, list);
    va_end(list);
}

static void on_sample(const struct tex_binding *binding, const struct tex_call *r, u32x32 *reg,
                      lane_mask lanes) {
    static const char *const kinds[] = {"auto", "fetch",    "bias", "lod",   "size",
                                        "prep", "querylod", "csaa", "gather"};
    const struct tex_fields *t = (const struct tex_fields *)r; /* the call is its first member */
    struct machine *m = ((const struct sampler *)binding)->m;
    for (uint32_t k = 0; k < r->source_count; k++) /* consecutive registers from $r20 */
        assert_int_equal(reg[k][31], 0xd0000014 + k);
    say(m, "%s t%d s%d n%d mask %x lanes %08x%s%s %d %d %d\n", kinds[r->op], t->tic, t->tsc,
        r->source_count, r->result_mask, lanes, r->cube ? " cube" : "", r->quads ? " deriv" : "",
        r->offset[0], r->offset[1], r->offset[2]);
    for (uint32_t k = 0; k < 4; k++)
        if (r->result_mask >> k & 1)
            lanes_store(reg++, lanes_splat(0x100 + k), lanes);
}

static void on_emit(void *self, const u32x32 *out, lane_mask m) {
    (void)out;
    say(self, "emit %08x\n", m);
}

static void on_restart(void *self, lane_mask m) {
    say(self, "restart %08x\n", m);
}

static void fill_registers(struct warp *w) {
    static const uint32_t fixed[] = {
        0, 0x12345678, 0x80000001, 0,          0x3f800000, 0x40200000, 0xc0400000, 0x00070003,
        0, 0x3ff80000, 0,          0x40000000, 0,          0xbfd00000, 0,          0xffffffff};
    for (uint32_t n = 0; n < CASE_REGS; n++)
        w->r[n] = lanes_splat(n < 16 ? fixed[n] : 0xd0000000 + n);
    w->r[0] = lanes_iota();
    w->r[3] = 100 + lanes_iota();
    w->r[14] = 4 * lanes_iota();
    w->a[1] = 4 * lanes_iota();
    w->a[2] = lanes_splat(8);
    w->a[3] = lanes_splat(0x40);
    w->a[4] = lanes_iota();
    for (uint32_t i = 0; i < LANES; i++) {
        const float f = (float)i;
        memcpy((uint32_t *)&w->r[16] + i, &f, 4);
        w->x[i] = f;
        w->cx[i] = f + 0.5f;
        for (uint32_t n = 0; n < 4; n++) {
            const uint32_t c = i + n;
            w->c[n].z |= (c & 1) << i;
            w->c[n].s |= (c >> 1 & 1) << i;
            w->c[n].c |= (c >> 2 & 1) << i;
            w->c[n].o |= (c >> 3 & 1) << i;
        }
    }
}

static void fill_memory(struct machine *m) {
    struct warp_case *c = &m->c;
    for (uint32_t n = 0; n < 16; n++) {
        for (uint32_t k = 0; k < CONST_WORDS; k++)
            m->consts[n][k] = 0x1000000 * n + 8 * k;
        c->env.c[n] = (struct const_view){(const uint8_t *)m->consts[n], sizeof m->consts[n]};
    }
    for (uint32_t k = 0; k < CASE_ATTR; k++)
        c->attr[k] = 0xa000 + 0x100 * k + lanes_iota();
    for (uint32_t k = 0; k < PRIM_WORDS; k++)
        m->prim[k] = 7 * k;
    for (uint32_t k = 0; k < SHARED_WORDS; k++)
        memcpy(c->shared + 4 * k, &(uint32_t){0x51000000 + k}, 4);
    for (uint32_t k = 0; k < GLOBAL_WORDS; k++)
        m->g[k] = 0x91000000 + k;
    c->g[0] = (struct global_view){.data = (uint8_t *)m->g, .limit = sizeof m->g};
}

static void machine_open(struct machine *m, const struct exec_case *x, enum simd_level level) {
    char text[1024];
    struct warp *w;
    memset(m, 0, sizeof *m);
    /* a short companion, so that a short instruction before it may stay short */
    snprintf(text, sizeof text, "%s\nmov b32 $r62 $r62\nexit nop\n", x->text);
    case_open_at(&m->c, level, x->type, x->variant, LANES_ALL, text);
    for (uint32_t i = 0; i < m->c.program->word_count;
         i++) /* one instruction, not what is made of it */
        m->c.program->ops[i].tex.alone = false;
    fill_memory(m);
    fill_registers(w = m->c.w);
    m->emit = (struct emit_port){m, on_emit, on_restart};
    m->sampler.m = m;
    for (int i = 0; i < TEX_OPS; i++)
        m->sampler.binding.kernel[i] = on_sample;
    m->slot = &m->sampler.binding;
    m->c.env.tex = &m->slot;
    w->emit = &m->emit;
    w->prim = m->prim;
    w->prim_count = PRIM_WORDS;
    w->planes[0] = &plane_set;
    w->uniform_planes = true;
    w->sample_id = 3;
    w->warp_id = 5;
    w->phys_id = 0x230000;
    w->dead = 0x0000ffff;
}

static void save(const struct machine *m, struct state *s) {
    const struct warp *w = m->c.w;
    memset(s, 0, sizeof *s);
    memcpy(s->r, w->r, sizeof s->r);
    memcpy(s->a, w->a, sizeof s->a);
    memcpy(s->out, m->c.out, sizeof s->out);
    memcpy(s->local, m->c.local, sizeof s->local);
    memcpy(s->s, m->c.shared, sizeof s->s);
    memcpy(s->g, m->g, sizeof s->g);
    for (int n = 0; n < 4; n++)
        for (int i = 0; i < LANES; i++)
            s->flags[n][i] = (w->c[n].z >> i & 1) | (w->c[n].s >> i & 1) << 1 |
                             (w->c[n].c >> i & 1) << 2 | (w->c[n].o >> i & 1) << 3;
    s->dead = w->dead;
    s->reads = (uint32_t)w->stats.bad_reads;
    s->writes = (uint32_t)w->stats.bad_writes;
    memcpy(s->calls, m->calls, sizeof s->calls);
}

/* ---- what a case foretells */

/* The 32 lanes, or the one word, that a name stands for. */
static uint32_t *find(struct state *s, const char *name, size_t length, bool *word) {
    const unsigned n = (unsigned)strtoul(name + 1, NULL, 10);
    const struct {
        const char *name;
        uint32_t *value;
    } words[] = {{"dead", &s->dead}, {"reads", &s->reads}, {"writes", &s->writes}};
    *word = true;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].name) == length && !strncmp(name, words[i].name, length))
            return words[i].value;
    if (*name == 's' && n < SHARED_WORDS)
        return &s->s[n];
    if (*name == 'g' && n < GLOBAL_WORDS)
        return &s->g[n];
    *word = false;
    if (*name == 'r' && n < CASE_REGS)
        return (uint32_t *)&s->r[n];
    if (*name == 'a' && n < 8)
        return (uint32_t *)&s->a[n];
    if (*name == 'c' && n < 4)
        return s->flags[n];
    if (*name == 'o' && n < CASE_OUT)
        return (uint32_t *)&s->out[n];
    if (*name == 'l' && n < CASE_LOCAL / 4)
        return (uint32_t *)&s->local[n];
    fail_msg("no such thing: %s", name);
    return NULL;
}

static uint32_t hex(const char **at) {
    char *end;
    const uint32_t v = (uint32_t)strtoul(*at, &end, 16);
    *at = end;
    return v;
}

/* One change, NAME[@LANES]=VALUE[+STEP][&MASK][|BITS]; returns what follows it. */
static const char *foretell(struct state *s, struct unspecified *u, const char *at) {
    bool word;
    const char *name = at;
    uint32_t *row = find(s, name, strcspn(name, "@="), &word);
    uint32_t lanes = LANES_ALL, step = 0, mask = ~0u, bits = 0;
    at += strcspn(at, "@=");
    if (*at == '@')
        at++, lanes = hex(&at);
    assert_int_equal(*at++, '=');
    if (*at == '-') {
        u->r[strtoul(name + 1, NULL, 10)] |= lanes;
        return at + 1;
    }
    const uint32_t value = hex(&at);
    if (*at == '+' || *at == '-')
        step = hex(&at); /* takes the sign */
    if (*at == '&')
        at++, mask = hex(&at);
    if (*at == '|')
        at++, bits = hex(&at);
    for (uint32_t i = 0; i < (word ? 1 : LANES); i++)
        if (lanes >> i & 1)
            row[i] = ((value + step * i) & mask) | bits;
    return at;
}

static void foretell_all(struct state *s, struct unspecified *u, const char *changes) {
    for (const char *at = changes; *at; at += strspn(at, " "))
        at = foretell(s, u, at);
}

/* ---- comparing */

static unsigned differences;

static void compare(const struct exec_case *x, const char *name, int n, const void *got,
                    const void *want, uint32_t count, lane_mask unspecified) {
    const uint32_t *g = got, *v = want;
    for (uint32_t i = 0; i < count; i++) {
        if (g[i] == v[i] || (i < 32 && unspecified >> i & 1))
            continue;
        print_error("%s\n  %s%d[%u] is %08x, not %08x\n", x->text, name, n, i, g[i], v[i]);
        differences++;
        return;
    }
}

static void compare_states(const struct exec_case *x, const struct state *got,
                           const struct state *want, const struct unspecified *u) {
    for (int n = 0; n < CASE_REGS; n++)
        compare(x, "$r", n, &got->r[n], &want->r[n], LANES, u->r[n]);
    for (int n = 0; n < 8; n++)
        compare(x, "$a", n, &got->a[n], &want->a[n], LANES, 0);
    for (int n = 0; n < 4; n++)
        compare(x, "$c", n, got->flags[n], want->flags[n], LANES, 0);
    for (int n = 0; n < CASE_OUT; n++)
        compare(x, "o", n, &got->out[n], &want->out[n], LANES, 0);
    for (int n = 0; n < CASE_LOCAL / 4; n++)
        compare(x, "l", n, &got->local[n], &want->local[n], LANES, 0);
    compare(x, "s", 0, got->s, want->s, SHARED_WORDS, 0);
    compare(x, "g", 0, got->g, want->g, GLOBAL_WORDS, 0);
    compare(x, "dead", 0, &got->dead, &want->dead, 1, 0);
    compare(x, "reads", 0, &got->reads, &want->reads, 1, 0);
    compare(x, "writes", 0, &got->writes, &want->writes, 1, 0);
    if (strcmp(got->calls, want->calls)) {
        print_error("%s\n  calls: %s", x->text, got->calls);
        differences++;
    }
}

static void check_end(const struct exec_case *x, const struct warp *w, enum warp_status status) {
    char text[128] = "no error";
    if (status == WARP_ERROR)
        warp_error_print(&w->error, text, sizeof text);
    if (status != (x->error ? WARP_ERROR : WARP_DONE) || (x->error && strcmp(text, x->error))) {
        print_error("%s\n  %s\n", x->text, text);
        differences++;
    }
}

static void run_case(const struct exec_case *x, enum simd_level level) {
    static struct machine m;
    static struct state want, got;
    struct unspecified u = {{0}};
    machine_open(&m, x, level);
    save(&m, &want);
    foretell_all(&want, &u, x->changes);
    snprintf(want.calls, sizeof want.calls, "%s", x->calls);
    check_end(x, m.c.w, warp_run(m.c.w, &m.c.env));
    save(&m, &got);
    compare_states(x, &got, &want, &u);
    case_close(&m.c);
}

static void test_cases(void **state) {
    (void)state;
    differences = 0;
    FOR_EACH_LEVEL(level) {
        for (int i = 0; i < CASES; i++)
            run_case(&cases[i], level);
    }
    assert_int_equal(differences, 0);
}

/* ---- the opcode map */

/* Forms of each primary opcode: S short, I immediate, 0-7 long, C control, c short control. */
static const char *const map[16] = {
    "01234567C",   "SI0123C",     "SI0C",       "SI034567C", "SI0C",      "S0C",
    "SI01234567C", "SI01234567C", "S0C",        "S023456Cc", "01234567C", "SI013456Cc",
    "SI0234C",     "I01234567C",  "SI01234567", "S0123467",
};

static char form_letter(uint32_t w0, uint32_t w1) {
    if ((w0 & 3) == 1)
        return (w1 & 3) == 3 ? 'I' : (char)('0' + (w1 >> 29));
    return "S cC"[w0 & 3];
}

static bool is_in_map(uint32_t primary, char form) {
    return strchr(map[primary], form) != NULL;
}

/* Steps through a case and notes the cells of the instructions executed. */
static void note_cells(const struct exec_case *x, bool seen[16][128]) {
    static struct machine m;
    enum warp_status status = WARP_RUNNING;
    machine_open(&m, x, SIMD_BASE);
    while (status == WARP_RUNNING) {
        const struct op *op = &m.c.program->ops[m.c.w->pc / 4];
        if (op->code != OP_ILLEGAL)
            seen[op->w[0] >> 28][(unsigned)form_letter(op->w[0], op->w[1])] = true;
        status = warp_step(m.c.w, &m.c.env);
    }
    case_close(&m.c);
}

static void test_every_cell_has_a_case(void **state) {
    (void)state;
    static bool seen[16][128];
    for (int i = 0; i < CASES; i++)
        note_cells(&cases[i], seen);
    for (uint32_t p = 0; p < 16; p++)
        for (const char *f = map[p]; *f; f++)
            if (!seen[p][(unsigned)*f])
                fail_msg("no case for primary %x, form %c", p, *f);
}

/* Words outside the map are illegal whatever their other bits, for every chip and program type. */
static void test_blank_cells(void **state) {
    (void)state;
    uint64_t random = 88172645463325252u;
    unsigned blanks = 0;
    for (int n = 0; n < 400000; n++) {
        uint32_t w[2];
        struct op op;
        for (int k = 0; k < 2; k++) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            w[k] = (uint32_t)(random >> 16);
        }
        if (is_in_map(w[0] >> 28, form_letter(w[0], w[1])))
            continue;
        blanks++;
        isa_decode(
            (struct isa_target){n % ISA_TESLA_VARIANTS, n / 8 % PROGRAM_TYPES, SYNTAX_ENVYAS}, w, 2,
            0, &op);
        assert_int_equal(op.code, OP_ILLEGAL);
        assert_int_equal(op.error, DECODE_ILLEGAL_OPCODE);
    }
    assert_true(blanks > 40000);
}

/* Where no textures are bound at all, as for programs that are run alone, every one is 0: the components
 * asked for, in live lanes. */
static void test_no_textures(void **state) {
    (void)state;
    for (int mask = 1; mask < 16; mask++) {
        char text[128], at[32] = "";
        struct warp_case c;
        for (int i = 0, r = 4; i < 4; i++) {
            strcat(at, i ? ":" : "");
            if (mask >> i & 1)
                snprintf(at + strlen(at), sizeof at - strlen(at), "$r%d", r++);
            else
                strcat(at, "#");
        }
        snprintf(text, sizeof text, "texauto all %s $t0 $s0 $r4:$r5 0 0 0\nexit nop\n", at);
        case_open(&c, PROGRAM_FP, text);
        for (int r = 4; r < 9; r++)
            c.w->r[r] = lanes_splat(0x3f000000);
        case_run(&c);
        for (int r = 4; r < 9; r++)
            for (int lane = 0; lane < LANES; lane++)
                assert_int_equal(c.w->r[r][lane],
                                 r < 4 + __builtin_popcount((unsigned)mask) ? 0 : 0x3f000000);
        case_close(&c);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_textures),
        cmocka_unit_test(test_cases),
        cmocka_unit_test(test_every_cell_has_a_case),
        cmocka_unit_test(test_blank_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
