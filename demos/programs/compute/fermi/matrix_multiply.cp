// C = A B, square matrices of floats, by tiles of 16 x 16 that a block keeps in s[]. Fermi code: fused
// multiply-add.
// Buffers 0, 1, 2: A, B, C, row by row; parameter 0: size, a multiple of 16.
// teslapipe run matrix_multiply.cp -m gf100 --grid 4,4 --block 16,16 --buffer 0=a.bin
//     --buffer 1=b.bin --buffer 2=zero:16384 --param 64 --out 2=c.bin

.shared 0x800                           // the tile of A, then that of B

mov b32 $r1 $tidx
mov b32 $r2 $tidy
mov b32 $r3 $ctaidx
add b32 $r3 (shl $r3 0x4) $r1           // column
mov b32 $r4 $ctaidy
add b32 $r4 (shl $r4 0x4) $r2           // row
mov b32 $r10 c0[0x20]                   // size

mul $r5 u32 $r4 u32 $r10
add b32 $r6 $r5 $r1
shl b32 $r6 $r6 clamp 0x2               // A[row][tx], one tile to the right each time
add $r7 (mul u32 $r2 u32 $r10) $r3
shl b32 $r7 $r7 clamp 0x2               // B[ty][column], one tile down each time
add b32 $r8 $r5 $r3
shl b32 $r8 $r8 clamp 0x2               // C[row][column]
mov b32 $r9 0x0                         // the sum
shl b32 $r11 $r10 clamp 0x6             // bytes of 16 rows
shr u32 $r13 $r10 clamp 0x4             // tiles left

add b32 $r15 (shl $r2 0x4) $r1
shl b32 $r15 $r15 clamp 0x2             // this thread's place in a tile
shl b32 $r19 $r1 clamp 0x2              // column tx
shl b32 $r20 $r2 clamp 0x6              // row ty

tile:
ld b32 $r16 ca g[$r6+0x8000000]
ld b32 $r17 ca g[$r7+0x10000000]
add b32 $r6 $r6 0x40
add b32 $r7 $r7 $r11
st b32 s[$r15] $r16
st b32 s[$r15+0x400] $r17
bar popc 0x1 0x0 0x0 0x0 0x1            // both tiles are complete
mov b32 $r21 $r20
mov b32 $r22 $r19
mov b32 $r18 0x10
product:
ld b32 $r16 s[$r21]
ld b32 $r17 s[$r22+0x400]
add b32 $r21 $r21 0x4
add b32 $r22 $r22 0x40
fma rn f32 $r9 $r16 $r17 $r9
add b32 $r18 $r18 -0x1
set $p0 0x1 ne s32 $r18 0x0
$p0 bra #product
bar popc 0x1 0x0 0x0 0x0 0x1            // no thread reads the tiles any more
add b32 $r13 $r13 -0x1
set $p0 0x1 ne s32 $r13 0x0
$p0 bra #tile

st b32 wb g[$r8+0x18000000] $r9
exit
