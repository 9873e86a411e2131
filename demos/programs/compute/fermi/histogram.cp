// counts[v] = how often byte v occurs: threads stride through the data, atomics collect. Fermi code.
// Buffer 0: bytes, buffer 1: 256 words; parameter 0: number of bytes.
// teslapipe run histogram.cp -m gf100 --grid 8 --block 128 --buffer 0=data.bin --buffer 1=zero:1024
//     --param 65536 --out 1=counts.bin

mov b32 $r0 $tidx
mov b32 $r1 $ctaidx
mov b32 $r2 $ntidx
add $r0 (mul u32 $r1 u32 $r2) $r0       // first byte
mov b32 $r3 $nctaidx
mul $r2 u32 $r2 u32 $r3                 // stride: all threads of the grid
mov b32 $r5 0x1
prebrk #done
next:
set $p0 0x1 ge u32 $r0 c0[0x20]
$p0 brk
ld u8 $r4 ca g[$r0+0x8000000]
shl b32 $r4 $r4 clamp 0x2
red add u32 g[$r4+0x10000000] $r5
add b32 $r0 $r0 $r2
bra #next
done:
exit
