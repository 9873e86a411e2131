// counts[v] = how often byte v occurs: threads stride through the data, atomics collect.
// g0[] bytes, g1[] 256 words; parameter 0: number of bytes.
// teslapipe run histogram.cp --grid 8 --block 128 --buffer 0=data.bin --buffer 1=zero:1024
//     --param 65536 --out 1=counts.bin

cvt u32 $r1 u16 $r0l            // thread
mov b32 $r2 u16 s[0x2]
mov b32 $r3 u16 s[0xc]
mul $r4 u16 $r2l u16 $r3l
add b32 $r1 $r1 $r4             // first byte
mov b32 $r3 u16 s[0x8]
mul $r2 u16 $r2l u16 $r3l       // stride: all threads of the grid
mov b32 $r3 b32 s[0x10]
mov b32 $r5 1

breakaddr #done
next:
set $c0 # ge u32 $r1 $r3
(lg $c0) break
ld u8 $r4 g0[$r1]
shl b32 $r4 $r4 2
red add u32 g1[$r4] $r5
add b32 $r1 $r1 $r2
bra #next
done:
exit nop
