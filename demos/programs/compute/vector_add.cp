// c[i] = a[i] + b[i]: one thread an element.
// g0[] a, g1[] b, g2[] c, floats; parameter 0: number of elements.
// teslapipe run vector_add.cp --grid 4 --block 256 --buffer 0=a.bin --buffer 1=b.bin
//     --buffer 2=zero:4096 --param 1000 --out 2=c.bin

cvt u32 $r1 u16 $r0l            // thread
mov b32 $r2 u16 s[0x2]          // threads a block
mov b32 $r3 u16 s[0xc]          // block
mul $r2 u16 $r2l u16 $r3l
add b32 $r1 $r1 $r2             // element
mov b32 $r3 b32 s[0x10]
set $c0 # ge u32 $r1 $r3
(lg $c0) ret                    // beyond the end
shl b32 $r1 $r1 2
ld b32 $r2 g0[$r1]
ld b32 $r3 g1[$r1]
add f32 $r2 $r2 $r3
st b32 g2[$r1] $r2
exit nop
