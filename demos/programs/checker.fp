/* Follows a ray to the mirror ball, from there on (or from the eye) to the chequered plane y = 0
 * or the sky.  v: 1/w (1), direction. */
.include "common.macros"
.interpolants position=w smooth=3
.const eye_x c0[0x0]
.const eye_y c0[0x4]
.const eye_z c0[0x8]
.const sun_x c0[0x40]
.const sun_y c0[0x44]
.const sun_z c0[0x48]
.const ball_x c0[0x50]
.const ball_y c0[0x54]
.const ball_z c0[0x58]
.const radius2 c0[0x5c]
.const bright_r c0[0x60]
.const bright_g c0[0x64]
.const bright_b c0[0x68]
.const dark_r c0[0x70]
.const dark_g c0[0x74]
.const dark_b c0[0x78]
.const horizon_r c0[0x80]
.const horizon_g c0[0x84]
.const horizon_b c0[0x88]

// d = mean of a square wave (-1, 1; period 2) at x, over the width w; $r16..18 are lost
.macro square_wave d x w
    mul f32 $r16 \x 0.5
    mul f32 $r18 \w 0.25
    add f32 $r17 $r16 neg $r18
    add f32 $r18 $r16 $r18
    cvt rmi f32 $r16 f32 $r17
    add f32 $r17 $r17 neg $r16
    cvt rmi f32 $r16 f32 $r18
    add f32 $r18 $r18 neg $r16
    add f32 $r17 $r17 -0.5
    add f32 $r18 $r18 -0.5
    cvt abs f32 $r17 f32 $r17
    cvt abs f32 $r18 f32 $r18
    add f32 $r17 $r17 neg $r18
    rcp f32 $r16 \w
    mul f32 \d $r17 $r16
    mul f32 \d \d 2.0
.endm

    interp $r4 v[0x4]
    interp $r5 v[0x8]
    interp $r6 v[0xc]
    normalize $r4 $r5 $r6 $r7
    // ray: from $r1..3 along $r4..6; $r0: the share of light that the mirror reflects
    mov b32 $r10 0x0
    add rn f32 $r1 $r10 eye_x
    add rn f32 $r2 $r10 eye_y
    add rn f32 $r3 $r10 eye_z
    mov b32 $r0 1.0
    // ball: $r7..9 from its centre to the eye; b = $r11, b^2 - c = $r12
    add rn f32 $r7 $r1 neg ball_x
    add rn f32 $r8 $r2 neg ball_y
    add rn f32 $r9 $r3 neg ball_z
    dot $r11 $r7 $r8 $r9 $r4 $r5 $r6
    dot $r12 $r7 $r8 $r9 $r7 $r8 $r9
    add rn f32 $r12 $r12 neg radius2
    add f32 $r12 neg (mul $r11 $r11) $r12
    joinat #traced
    set $c0 # ge f32 $r12 $r10
    (lg $c0) bra #traced              // misses it: c >= b^2
    set $c0 # ge f32 $r11 $r10
    (lg $c0) bra #traced              // is behind
    cvt neg f32 $r12 f32 $r12
    rsqrt f32 $r13 $r12
    mul f32 $r12 $r12 $r13
    add f32 $r12 neg $r11 neg $r12    // distance
    add_scaled $r1 $r2 $r3 $r12 $r4 $r5 $r6
    add rn f32 $r7 $r1 neg ball_x   // normal
    add rn f32 $r8 $r2 neg ball_y
    add rn f32 $r9 $r3 neg ball_z
    normalize $r7 $r8 $r9 $r12
    dot $r12 $r7 $r8 $r9 $r4 $r5 $r6
    add f32 $r13 $r12 1.0           // 1 - cos: Schlick's approximation of Fresnel
    mul f32 $r0 $r13 $r13
    mul f32 $r0 $r0 $r13
    mul f32 $r0 $r0 0.35
    add f32 $r0 $r0 0.62
    add f32 $r12 $r12 $r12
    add f32 $r4 neg (mul $r7 $r12) $r4
    add f32 $r5 neg (mul $r8 $r12) $r5
    add f32 $r6 neg (mul $r9 $r12) $r6
traced:
    join nop
    // plane: $r7 distance along the ray, $r8 x, $r9 z; rays at or above the horizon end far away
    mov b32 $r11 -0.0005
    min f32 $r11 $r5 $r11
    rcp f32 $r11 neg $r11
    mul f32 $r7 $r2 $r11
    mov b32 $r8 $r1
    mov b32 $r9 $r3
    add f32 $r8 (mul $r4 $r7) $r8
    add f32 $r9 (mul $r6 $r7) $r9
    // $r12: width of the filter on $r8: the larger step to a neighbour in the quad
    quadop f32 sub subr sub subr $r12 dx $r8 $r8
    quadop f32 sub sub subr subr $r14 dy $r8 $r8
    max f32 $r12 abs $r12 abs $r14
    add f32 $r12 $r12 0.01
    // $r13: width of the filter on $r9: the larger step to a neighbour in the quad
    quadop f32 sub subr sub subr $r13 dx $r9 $r9
    quadop f32 sub sub subr subr $r14 dy $r9 $r9
    max f32 $r13 abs $r13 abs $r14
    add f32 $r13 $r13 0.01
    square_wave $r14 $r8 $r12
    square_wave $r15 $r9 $r13
    // $r14: share of light squares = 0.5 - 0.5 * x * z; $r15: share of dark squares
    mul f32 $r14 $r14 $r15
    mul f32 $r14 $r14 -0.5
    add f32 $r14 $r14 0.5
    add f32 $r15 neg $r14 1.0
    mul rn f32 $r16 $r14 bright_r
    mul rn f32 $r17 $r14 bright_g
    mul rn f32 $r18 $r14 bright_b
    add_scaled $r16 $r17 $r18 $r15 dark_r dark_g dark_b
    // shadow of the ball, soft at the rim: $r19 0 in the light .. 1
    add rn f32 $r11 $r8 neg ball_x
    add rn f32 $r12 $r10 neg ball_y
    add rn f32 $r13 $r9 neg ball_z
    dot $r14 $r11 $r12 $r13 sun_x sun_y sun_z
    dot $r15 $r11 $r12 $r13 $r11 $r12 $r13
    add rn f32 $r15 $r15 neg radius2
    add f32 $r19 (mul $r14 $r14) neg $r15
    mul f32 $r19 $r19 2.5
    mov b32 $r11 1.0
    max f32 $r19 $r19 $r10
    min f32 $r19 $r19 $r11
    slct b32 $r19 $r10 $r19 f32 $r14  // only in front of the ball as the sun sees it
    mul f32 $r19 $r19 -0.62
    add f32 $r19 $r19 1.0
    scale $r16 $r17 $r18 $r19
    // haze: $r11 = d^2 / (d^2 + 40^2), $r12 = 1 - $r11
    mul f32 $r7 $r7 $r7
    add f32 $r11 $r7 1600.0
    rcp f32 $r11 $r11
    mul f32 $r11 $r11 1600.0
    add f32 $r12 neg $r11 1.0
    scale $r16 $r17 $r18 $r11
    add_scaled $r16 $r17 $r18 $r12 horizon_r horizon_g horizon_b
    // sky: $r11 = (1 - height)^3 of the horizon, the rest of the zenith
    sky_color $r7 $r8 $r9 $r4 $r5 $r6 $r11 $r12
    // sun: a glow, and a disc
    cosine $r11 $r4 $r5 $r6 sun_x sun_y sun_z
    power8 $r11
    mul f32 $r12 $r11 0.35
    power8 $r11
    power8 $r11
    add f32 $r12 (mul $r11 6.0) $r12
    add f32 $r7 $r7 $r12
    add f32 $r8 (mul $r12 0.8) $r8
    add f32 $r9 (mul $r12 0.5) $r9
    // sky above the horizon, plane below
    slct b32 $r16 $r7 $r16 f32 $r5
    slct b32 $r17 $r8 $r17 f32 $r5
    slct b32 $r18 $r9 $r18 f32 $r5
    mul f32 $r2 $r18 $r0
    mul f32 $r1 $r17 $r0
    mul f32 $r0 $r16 $r0
    gamma
