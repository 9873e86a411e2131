/* Follows a ray through a box of cloud, from the eye's side to the far face, until the box ends or
 * only 1/50 of the light behind would pass. Texture 0: density, sunlight, texels to the nearest
 * cloud, light of the sky; two shapes behind each other. Texture 1: detail, which eats at edges.
 * v: x y 1/w, corner, way from the eye; of the box: eye (in corners), shape, size. */
.include "common.macros"
.interpolants position=xyw smooth=6 flat=5
.const haze_by_distance c0[0x4c]
.const detail_x c0[0x50]
.const detail_y c0[0x54]
.const detail_z c0[0x58]
.const frequency c0[0x5c]
.const sun_x c0[0x60]
.const sun_y c0[0x64]
.const sun_z c0[0x68]
.const erosion c0[0x6c]
.const light_r c0[0x70]
.const light_g c0[0x74]
.const light_b c0[0x78]
.const extinction c0[0x7c]
.const ambient_r c0[0x80]
.const ambient_g c0[0x84]
.const ambient_b c0[0x88]
.const step c0[0x8c]
.const haze_r c0[0x90]
.const haze_g c0[0x94]
.const haze_b c0[0x98]
.const leap c0[0x9c]

    interp $r0 v[0x8]
    rcp f32 $r0 $r0
    // $r8..10: eye, $r11..13: way to the far face, in corners
    interp $r8 flat v[0x24]
    interp $r9 flat v[0x28]
    interp $r10 flat v[0x2c]
    interp $r11 v[0xc] $r0
    interp $r12 v[0x10] $r0
    interp $r13 v[0x14] $r0
    add f32 $r11 $r11 neg $r8
    add f32 $r12 $r12 neg $r9
    add f32 $r13 $r13 neg $r10
    // $r20: share of the way at which the ray enters the box, or 0
    mov b32 $r4 1.0
    rcp f32 $r1 $r11
    rcp f32 $r2 $r12
    rcp f32 $r3 $r13
    add f32 $r5 $r4 neg $r8
    mul f32 $r5 $r5 $r1
    mul f32 $r6 $r8 $r1
    cvt neg f32 $r6 f32 $r6
    min f32 $r20 $r5 $r6
    add f32 $r5 $r4 neg $r9
    mul f32 $r5 $r5 $r2
    mul f32 $r6 $r9 $r2
    cvt neg f32 $r6 f32 $r6
    min f32 $r5 $r5 $r6
    max f32 $r20 $r20 $r5
    add f32 $r5 $r4 neg $r10
    mul f32 $r5 $r5 $r3
    mul f32 $r6 $r10 $r3
    cvt neg f32 $r6 f32 $r6
    min f32 $r5 $r5 $r6
    max f32 $r20 $r20 $r5
    max f32 $r20 $r20 $r127
    // two shapes lie behind each other: z / 2 + shape
    interp $r3 flat v[0x30]
    mul f32 $r13 $r13 0.5
    mov b32 $r1 0.5
    add f32 $r10 (mul $r10 $r1) $r3
    // $r17..19: the way in the world, $r28: its length, $r29: cosine of its angle to the sun
    interp $r17 v[0x18] $r0
    interp $r18 v[0x1c] $r0
    interp $r19 v[0x20] $r0
    dot $r28 $r17 $r18 $r19 $r17 $r18 $r19
    rsqrt f32 $r1 $r28
    mul f32 $r28 $r28 $r1
    dot $r29 $r17 $r18 $r19 sun_x sun_y sun_z
    mul f32 $r29 $r29 $r1
    // $r21: a step, $r22: 255 texels, as shares of the way
    interp $r3 flat v[0x34]
    mul f32 $r1 $r1 $r3
    // far away a pixel is larger than a step: steps grow by $r4
    rcp f32 $r5 $r1
    mul f32 $r4 $r5 0.13
    add f32 $r4 $r4 0.75
    mul rn f32 $r21 $r1 step
    mul f32 $r21 $r21 $r4
    mul rn f32 $r22 $r1 leap
    // $r30: extinction of a step
    mul f32 $r3 $r3 $r4
    mul rn f32 $r30 $r3 extinction
    // $r14..16: eye, $r17..19: way, in the detail
    ld $r14 b32 detail_x
    ld $r15 b32 detail_y
    ld $r16 b32 detail_z
    ld $r1 b32 frequency
    scale $r17 $r18 $r19 $r1
    // the first step is shorter, differently in each pixel: bands become grain
    interp $r1 v[0x0]
    interp $r2 v[0x4]
    mul f32 $r1 $r1 0.06711056
    mul f32 $r2 $r2 0.00583715
    add f32 $r1 $r1 $r2
    cvt rmi f32 $r2 f32 $r1
    add f32 $r1 $r1 neg $r2
    mul f32 $r1 $r1 52.9829189
    cvt rmi f32 $r2 f32 $r1
    add f32 $r1 $r1 neg $r2
    add f32 $r20 (mul $r1 $r21) $r20
    // $r23: share of the light behind that passes; $r24, $r25: light of sun and sky
    mov b32 $r23 1.0
    mov b32 $r24 0x0
    mov b32 $r25 0x0
    mov b32 $r26 1.0
    mov b32 $r27 0.02
    breakaddr #done
next:
    set $c0 # ge f32 $r20 $r26
    (lg $c0) break
    add f32 $r0 (mul $r11 $r20) $r8
    add f32 $r1 (mul $r12 $r20) $r9
    add f32 $r2 (mul $r13 $r20) $r10
    mov b32 $r3 0x0
    texlod all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2:$r3 0x0 0x0 0x0
    set $c0 # le f32 $r0 $r127
    joinat #stepped
    (lg $c0) bra #stepped                 // no cloud here
    add f32 $r4 (mul $r17 $r20) $r14
    add f32 $r5 (mul $r18 $r20) $r15
    add f32 $r6 (mul $r19 $r20) $r16
    mov b32 $r7 0x0
    texlod all $r4:#:#:# $t1 $s1 $r4:$r5:$r6:$r7 0x0 0x0 0x0
    // less sun in the hollows; density - erosion * (1 - detail)
    add f32 $r5 $r4 0.45
    mul f32 $r1 $r1 $r5
    add f32 $r4 $r4 -1.0
    mul rn f32 $r4 $r4 erosion
    add f32 $r0 $r0 $r4
    max f32 $r0 $r0 $r127
    // $r4: share of the light that this step takes
    mul f32 $r4 $r0 $r30
    preex2 f32 $r4 $r4
    ex2 f32 $r4 $r4
    mul f32 $r5 $r23 $r4
    add f32 $r4 $r23 neg $r5
    mov b32 $r23 $r5
    add f32 $r24 (mul $r4 $r1) $r24
    add f32 $r25 (mul $r4 $r3) $r25
stepped:
    join nop
    // a step, or on to where the nearest cloud may be
    mul f32 $r2 $r2 $r22
    max f32 $r2 $r2 $r21
    add f32 $r20 $r20 $r2
    set $c0 # ge f32 $r23 $r27
    (lg $c0) bra #next
    mov b32 $r23 0x0
    break
done:
    // $r3: opacity; $r29: more light towards the sun, (1 + g)^-1.5-like peak
    add f32 $r3 neg $r23 1.0
    max f32 $r4 $r29 $r127
    mul f32 $r5 $r4 $r4
    mul f32 $r5 $r5 $r5
    mul f32 $r6 $r5 $r5
    mul f32 $r6 $r6 $r6
    mov b32 $r7 0.8
    add f32 $r5 (mul $r5 $r7) $r6
    add f32 $r5 $r5 1.0
    mul f32 $r24 $r24 $r5
    mul rn f32 $r0 $r24 light_r
    mul rn f32 $r1 $r24 light_g
    mul rn f32 $r2 $r24 light_b
    add_scaled $r0 $r1 $r2 $r25 ambient_r ambient_g ambient_b
    // haze: of opacity times 1 - 2^(-distance)
    mul rn f32 $r4 $r28 haze_by_distance
    cvt neg f32 $r4 f32 $r4
    preex2 f32 $r4 $r4
    ex2 f32 $r4 $r4
    scale $r0 $r1 $r2 $r4
    add f32 $r4 neg $r4 1.0
    mul f32 $r4 $r4 $r3
    add_scaled $r0 $r1 $r2 $r4 haze_r haze_g haze_b
    // stored for a gamma of 2 and times the opacity: the root of colour * opacity
    scale $r0 $r1 $r2 $r3
    add f32 $r4 $r0 1.0e-9
    rsqrt f32 $r4 $r4
    mul f32 $r0 $r0 $r4
    add f32 $r4 $r1 1.0e-9
    rsqrt f32 $r4 $r4
    mul f32 $r1 $r1 $r4
    add f32 $r4 $r2 1.0e-9
    rsqrt f32 $r4 $r4
    exit mul rn f32 $r2 $r2 $r4
