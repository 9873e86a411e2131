/* Stone, sand and gold in the sun. The map of depths is compared by the texture unit: each of four
 * fetches compares four texels with this fragment's depth and filters the answers.
 * v: 1/w, world x y z, normal, r g b gloss, map u v, depth. */
.include "common.macros"
.interpolants position=w smooth=13
.const eye_x c0[0x70]
.const eye_y c0[0x74]
.const eye_z c0[0x78]
.const fog c0[0x7c]
.const horizon_r c0[0x80]
.const horizon_g c0[0x84]
.const horizon_b c0[0x88]
.const sun_x c0[0x90]
.const sun_y c0[0x94]
.const sun_z c0[0x98]

    clip_w $r0
    // $r20: how much of the sun is seen, from 16 comparisons
    interp $r4 v[0x2c] $r0
    interp $r5 v[0x30] $r0
    interp $r6 v[0x34] $r0
    mov b32 $r8 $r4
    mov b32 $r9 $r5
    mov b32 $r10 $r6
    mov b32 $r12 $r4
    mov b32 $r13 $r5
    mov b32 $r14 $r6
    mov b32 $r16 $r4
    mov b32 $r17 $r5
    mov b32 $r18 $r6
    texauto all $r4:#:#:# $t0 $s0 $r4:$r5:$r6 -1 -1 0
    texauto all $r8:#:#:# $t0 $s0 $r8:$r9:$r10 1 -1 0
    texauto all $r12:#:#:# $t0 $s0 $r12:$r13:$r14 -1 1 0
    texauto all $r16:#:#:# $t0 $s0 $r16:$r17:$r18 1 1 0
    add f32 $r20 $r4 $r8
    add f32 $r20 $r20 $r12
    add f32 $r20 $r20 $r16
    mul f32 $r20 $r20 0.25
    interp $r1 v[0x4] $r0
    interp $r2 v[0x8] $r0
    interp $r3 v[0xc] $r0
    interp $r4 v[0x10] $r0
    interp $r5 v[0x14] $r0
    interp $r6 v[0x18] $r0
    normalize $r4 $r5 $r6 $r7
    // grain: two scales of a texture, laid slanting through the world
    mul f32 $r8 $r2 0.71
    mul f32 $r9 $r2 0.53
    add f32 $r8 $r8 $r1
    add f32 $r9 $r9 $r3
    mul f32 $r12 $r8 0.11
    mul f32 $r13 $r9 0.11
    mul f32 $r8 $r8 0.63
    mul f32 $r9 $r9 0.63
    texauto all $r8:#:#:# $t1 $s1 $r8:$r9 0 0 0
    texauto all $r12:#:#:# $t1 $s1 $r12:$r13 0 0 0
    // $r7: from the fragment to the eye: distance; $r1..3: direction
    add rn f32 $r1 neg $r1 eye_x
    add rn f32 $r2 neg $r2 eye_y
    add rn f32 $r3 neg $r3 eye_z
    dot $r7 $r1 $r2 $r3 $r1 $r2 $r3
    rsqrt f32 $r9 $r7
    scale $r7 $r1 $r2 $r9
    mul f32 $r3 $r3 $r9
    interp $r16 v[0x28] $r0             // gloss: 1 gold, 0 stone
    // $r8: grain, none on gold
    add f32 $r8 $r8 $r12
    add f32 $r8 $r8 -1.0
    mul f32 $r8 $r8 0.9
    add f32 $r9 neg $r16 1.0
    mul f32 $r8 $r8 $r9
    add f32 $r8 $r8 1.0
    interp $r17 v[0x1c] $r0
    interp $r18 v[0x20] $r0
    interp $r19 v[0x24] $r0
    scale $r17 $r18 $r19 $r8
    // $r8: light of the sun on the surface
    cosine $r8 $r4 $r5 $r6 sun_x sun_y sun_z
    mul f32 $r8 $r8 $r20
    // $r9: highlight, (n . h)^32 where the sun is seen
    half_way $r10 $r11 $r12 $r1 $r2 $r3 sun_x sun_y sun_z $r13
    cosine $r9 $r4 $r5 $r6 $r10 $r11 $r12
    power8 $r9
    mul f32 $r9 $r9 $r9
    mul f32 $r9 $r9 $r9
    mul f32 $r9 $r9 $r20
    mul f32 $r9 $r9 $r16
    mul f32 $r9 $r9 5.0
    // gold mirrors the sky above and the sand below: $r10, by the mirrored ray's height
    dot $r10 $r4 $r5 $r6 $r1 $r2 $r3
    mul f32 $r10 $r10 $r5
    add f32 $r10 $r10 $r10
    add f32 $r10 $r10 neg $r2
    mul f32 $r10 $r10 0.55
    add f32 $r10 $r10 0.35
    mul f32 $r10 $r10 $r16
    // $r11..13: light: the sun, the sky above, the warm ground below
    hemisphere $r5 $r6
    add f32 $r8 $r8 $r9
    mul f32 $r11 $r8 2.8
    mul f32 $r12 $r8 2.3
    mul f32 $r13 $r8 1.6
    add_scaled $r11 $r12 $r13 $r5 0.26 0.36 0.58
    add_scaled $r11 $r12 $r13 $r6 0.30 0.21 0.13
    add f32 $r11 $r11 $r10
    add f32 $r12 $r12 $r10
    add f32 $r13 $r13 $r10
    mul f32 $r11 $r11 $r17
    mul f32 $r12 $r12 $r18
    mul f32 $r13 $r13 $r19
    // into the distance: $r4 = (distance / limit)^2, at most 1
    mul rn f32 $r4 $r7 fog
    mul f32 $r4 $r4 $r4
    mov b32 $r5 1.0
    min f32 $r4 $r4 $r5
    add f32 $r5 neg $r4 1.0
    mul f32 $r0 $r11 $r5
    mul f32 $r1 $r12 $r5
    mul f32 $r2 $r13 $r5
    add_scaled $r0 $r1 $r2 $r4 horizon_r horizon_g horizon_b
    gamma
