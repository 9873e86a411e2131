// out[i] = in[0] + .. + in[i]: one block goes through the data in pieces of one word a thread; each
// piece is summed in s[] in log2 steps (Hillis and Steele) and the total so far is carried on. Fermi
// code.
// Buffer 0: in, buffer 1: out, words; parameter 0: number of words.
// teslapipe run prefix_sum.cp -m gf100 --grid 1 --block 1024 --buffer 0=in.bin
//     --buffer 1=zero:40000 --param 10000 --out 1=out.bin

.shared 0x1000                          // 1,024 words

mov b32 $r1 $tidx
mov b32 $r2 $ntidx
mov b32 $r4 0x0                         // carried on
mov b32 $r5 0x0                         // first word of the piece
shl b32 $r11 $r1 clamp 0x2              // this thread's word in s[]
add b32 $r12 $r2 -0x1
shl b32 $r12 $r12 clamp 0x2             // the last one

piece:
set $p0 0x1 ge u32 $r5 c0[0x20]
$p0 exit                                // the same for all threads
add b32 $r6 $r5 $r1
set $p1 0x1 lt u32 $r6 c0[0x20]         // is there a word for this thread?
shl b32 $r6 $r6 clamp 0x2
mov b32 $r7 0x0
$p1 ld b32 $r7 ca g[$r6+0x8000000]
st b32 s[$r11] $r7
bar popc 0x1 0x0 0x0 0x0 0x1
mov b32 $r8 0x1                         // distance
step:
set $p0 0x1 ge u32 $r8 $r2
$p0 bra #summed
set $p2 0x1 ge u32 $r1 $r8
sub b32 $r9 $r1 $r8
shl b32 $r9 $r9 clamp 0x2
mov b32 $r10 0x0
$p2 ld b32 $r10 s[$r9]
bar popc 0x1 0x0 0x0 0x0 0x1            // all have read
add b32 $r7 $r7 $r10
st b32 s[$r11] $r7
bar popc 0x1 0x0 0x0 0x0 0x1            // all have written
add b32 $r8 $r8 $r8
bra #step
summed:
add b32 $r7 $r7 $r4
$p1 st b32 wb g[$r6+0x10000000] $r7
ld b32 $r10 s[$r12]                     // sum of the piece
add b32 $r4 $r4 $r10
bar popc 0x1 0x0 0x0 0x0 0x1            // s[] is free again
add b32 $r5 $r5 $r2
bra #piece
