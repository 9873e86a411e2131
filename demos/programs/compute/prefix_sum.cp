// out[i] = in[0] + .. + in[i]: one block goes through the data in pieces of one word a thread; each
// piece is summed in s[] in log2 steps (Hillis and Steele) and the total so far is carried on.
// g0[] in, g1[] out, words; parameter 0: number of words.
// teslapipe run prefix_sum.cp --grid 1 --block 512 --buffer 0=in.bin --buffer 1=zero:40000
//     --param 10000 --out 1=out.bin

.shared 0x840                   // 512 words from s[0x20] on

cvt u32 $r1 u16 $r0l            // thread
mov b32 $r2 u16 s[0x2]          // threads
mov b32 $r3 b32 s[0x10]         // words
mov b32 $r4 0                   // carried on
mov b32 $r5 0                   // first word of the piece
shl $a1 $r1 2

piece:
set $c0 # ge u32 $r5 $r3
(lg $c0) ret                    // the same for all threads
add b32 $r6 $r5 $r1
set $c1 # l u32 $r6 $r3         // is there a word for this thread?
shl b32 $r6 $r6 2
mov b32 $r7 0
(lg $c1) ld b32 $r7 g0[$r6]
st b32 s[$a1+0x20] $r7
bar inc wait 0x0 all
mov b32 $r8 1                   // distance
step:
set $c0 # ge u32 $r8 $r2
(lg $c0) bra #summed
set $c2 # ge u32 $r1 $r8
sub b32 $r9 $r1 $r8
shl $a2 $r9 2
mov b32 $r10 0
(lg $c2) ld $r10 b32 s[$a2+0x20]
bar inc wait 0x0 all            // all have read
add b32 $r7 $r7 $r10
st b32 s[$a1+0x20] $r7
bar inc wait 0x0 all            // all have written
add b32 $r8 $r8 $r8
bra #step
summed:
add b32 $r7 $r7 $r4
(lg $c1) st b32 g1[$r6] $r7
shl $a2 $r2 2
ld $r10 b32 s[$a2+0x1c]         // sum of the piece
add b32 $r4 $r4 $r10
bar inc wait 0x0 all            // s[] is free again
add b32 $r5 $r5 $r2
bra #piece
