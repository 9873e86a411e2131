// A soft disc: colour * (1 - distance^2)^2. All corners have one w, so nothing needs perspective.
.variant gf100

    interp pass f32 $r4 a[0x90] 0x0 0x0
    interp pass f32 $r5 a[0x94] 0x0 0x0
    interp pass f32 $r0 a[0x80] 0x0 0x0
    interp pass f32 $r1 a[0x84] 0x0 0x0
    interp pass f32 $r2 a[0x88] 0x0 0x0
    mul rn f32 $r4 $r4 $r4
    fma rn f32 $r4 $r5 $r5 $r4
    mov b32 $r5 1.0
    add sat rn f32 $r4 $r5 neg $r4
    mul rn f32 $r4 $r4 $r4
    mul rn f32 $r0 $r0 $r4
    mul rn f32 $r1 $r1 $r4
    mul rn f32 $r2 $r2 $r4
    mov b32 $r3 0x0
    exit
