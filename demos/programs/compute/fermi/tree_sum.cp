// Shows what Tesla lacks: every thread sums the tree of its root, by recursion through call with
// a stack in l[], reading nodes through 64-bit addresses; a ballot counts the threads of the warp whose
// sum is odd.
// Buffer 0: roots, one index a thread (0: no tree); buffer 1: nodes of 4 words {value, left, right, 0},
// node 0 unused; buffer 2: {sum, odd lanes of the warp} a thread. Parameter 0: threads.
// Space n lies at (n + 1) << 40 for 64-bit addresses.
// teslapipe run tree_sum.cp -m gf100 --grid 2 --block 64 --buffer 0=roots.bin --buffer 1=nodes.bin
//     --buffer 2=zero:1024 --param 128 --out 2=sums.bin

.local 0x800

mov b32 $r0 $tidx
mov b32 $r1 $ctaidx
mov b32 $r2 $ntidx
add $r0 (mul u32 $r1 u32 $r2) $r0
set $p0 0x1 ge u32 $r0 c0[0x20]
$p0 exit
shl b32 $r2 $r0 clamp 0x2
mov b32 $r3 0x100                       // address: {4 * thread, 1 << 8}: buffer 0
ld b32 $r4 ca g[$r2d]                   // root
mov b32 $r5 0x0                         // sum
mov b32 $r6 0x0                         // stack pointer in l[]
call #visit
and b32 $r8 $r5 0x1
set $p1 0x1 ne s32 $r8 0x0
vote any $r9 0x1 $p1                    // lanes with an odd sum
mov b32 $r8 $r5
shl b32 $r2 $r0 clamp 0x3
mov b32 $r3 0x300
st b64 wb g[$r2d] $r8d
exit

visit:                                  // adds the tree at node $r4 to $r5
set $p0 0x1 eq s32 $r4 0x0
$p0 ret
shl b32 $r2 $r4 clamp 0x4
mov b32 $r3 0x200                       // buffer 1
ld b128 $r12q ca g[$r2d]                // value, left, right
add b32 $r5 $r5 $r12
st b32 wb l[$r6] $r14                   // right waits
add b32 $r6 $r6 0x4
mov b32 $r4 $r13
call #visit
add b32 $r6 $r6 -0x4
ld b32 $r4 ca l[$r6]
call #visit
ret
