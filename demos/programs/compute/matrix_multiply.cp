// C = A B, square matrices of floats, by tiles of 16 x 16 that a block keeps in s[].
// g0[] A, g1[] B, g2[] C, row by row; parameter 0: size, a multiple of 16.
// teslapipe run matrix_multiply.cp --grid 4,4 --block 16,16 --buffer 0=a.bin --buffer 1=b.bin
//     --buffer 2=zero:16384 --param 64 --out 2=c.bin

.shared 0x840                   // header and parameters, then the tile of A, then that of B
.equ #tile_a 0x20
.equ #tile_b 0x420

cvt u32 $r1 u16 $r0l            // tx
shr u32 $r2 $r0 16              // ty
mov b32 $r3 u16 s[0xc]
shl b32 $r3 $r3 4
add b32 $r3 $r3 $r1             // column
mov b32 $r4 u16 s[0xe]
shl b32 $r4 $r4 4
add b32 $r4 $r4 $r2             // row
mov b32 $r10 b32 s[0x10]        // size

mul $r5 u16 $r4l u16 $r10l
add b32 $r6 $r5 $r1
shl b32 $r6 $r6 2               // A[row][tx], one tile to the right each time
mul $r7 u16 $r2l u16 $r10l
add b32 $r7 $r7 $r3
shl b32 $r7 $r7 2               // B[ty][column], one tile down each time
add b32 $r8 $r5 $r3
shl b32 $r8 $r8 2               // C[row][column]
mov b32 $r9 0                   // the sum
shl b32 $r11 $r10 6             // bytes of 16 rows
mov b32 $r12 64                 // bytes of 16 columns
shr u32 $r13 $r10 4             // tiles left
mov b32 $r14 -1

shl b32 $r15 $r2 4
add b32 $r15 $r15 $r1
shl $a1 $r15 2                  // this thread's place in a tile

tile:
ld b32 $r16 g0[$r6]
ld b32 $r17 g1[$r7]
add b32 $r6 $r6 $r12
add b32 $r7 $r7 $r11
st b32 s[$a1+0x20] $r16
st b32 s[$a1+0x420] $r17
bar inc wait 0x0 all            // both tiles are complete
shl $a2 $r2 6
add $a2 $a2 #tile_a             // row ty of A's tile
shl $a3 $r1 2
add $a3 $a3 #tile_b             // column tx of B's
mov b32 $r18 16
product:
ld $r16 b32 s[$a2++0x4]
ld $r17 b32 s[$a3++0x40]
add f32 $r9 (mul $r16 $r17) $r9
add b32 $c0 $r18 $r18 $r14
(lg $c0) bra #product
bar inc wait 0x0 all            // no thread reads the tiles any more
add b32 $c0 $r13 $r13 $r14
(lg $c0) bra #tile

st b32 g2[$r8] $r9
exit nop
