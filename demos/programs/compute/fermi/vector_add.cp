// c[i] = a[i] + b[i]: one thread an element. Fermi code.
// Buffer n lies at address (n + 1) * 0x8000000: a, b, c floats; parameter 0: number of elements.
// teslapipe run vector_add.cp -m gf100 --grid 4 --block 256 --buffer 0=a.bin --buffer 1=b.bin
//     --buffer 2=zero:4096 --param 1000 --out 2=c.bin

mov b32 $r0 $tidx
mov b32 $r1 $ctaidx
mov b32 $r2 $ntidx
add $r0 (mul u32 $r1 u32 $r2) $r0       // element
set $p0 0x1 ge u32 $r0 c0[0x20]
$p0 exit                                // beyond the end
shl b32 $r0 $r0 clamp 0x2
ld b32 $r1 ca g[$r0+0x8000000]
ld b32 $r2 ca g[$r0+0x10000000]
add rn f32 $r1 $r1 $r2
st b32 wb g[$r0+0x18000000] $r1
exit
