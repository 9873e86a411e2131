// A square that faces the eye, round each particle. Out: clip position; a[0x80]: colour; a[0x90]: -1 to 1
// over the square.
.variant gf100
.primitive triangle_strip
.vertices 4

.macro corner x y
    mov b32 $r16 \x
    mov b32 $r17 \y
    fma rn f32 $r4 $r16 $r12 $r0
    fma rn f32 $r5 $r17 $r13 $r1
    mov b32 $r6 $r2
    mov b32 $r7 $r3
    st b128 a[0x70] $r4:$r5:$r6:$r7 0x0
    st b128 a[0x80] $r8:$r9:$r10:$r11 0x0
    st b64 a[0x90] $r16:$r17 0x0
    out emit $r14 $r14 0x0
.endm

    ld $r15 p[0x0]
    ld b128 $r0:$r1:$r2:$r3 a[0x70] $r15
    ld b128 $r8:$r9:$r10:$r11 a[0x80] $r15
    mul rn f32 $r12 $r11 c0[0x40]
    mul rn f32 $r13 $r11 c0[0x44]
    mov b32 $r14 0x0
    corner -1.0 -1.0
    corner 1.0 -1.0
    corner -1.0 1.0
    corner 1.0 1.0
    exit
