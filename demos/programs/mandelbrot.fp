/* z = z^2 + c until z leaves the circle of radius 16; each lane breaks on its own.
 * v: 1/w (1: the triangle is parallel to the screen), c. */
.interpolants position=w smooth=2
.const phase c0[0x10]
.const limit c0[0x14]

    interp $r4 v[0x4]
    interp $r5 v[0x8]
    mov b32 $r0 0x0           // z
    mov b32 $r1 0x0
    mov b32 $r2 0x0           // turns
    mov b32 $r8 256.0
    breakaddr #done
turn:
    mul f32 $r6 $r0 $r0
    mul f32 $r7 $r1 $r1
    add rn f32 $r3 $r6 $r7
    set $c0 # g f32 $r3 $r8
    (lg $c0) break
    mul f32 $r1 $r0 $r1
    add f32 $r0 $r6 neg $r7
    add f32 $r1 $r1 $r1
    add f32 $r0 $r0 $r4
    add f32 $r1 $r1 $r5
    add f32 $r2 $r2 1.0
    set $c0 # ge f32 $r2 limit
    (lg $c0) break
    bra #turn
done:
    // $c1: still inside. Smooth count: turns - log2(log2 |z|^2)
    set $c1 # le f32 $r3 $r8
    lg2 f32 $r3 $r3
    lg2 f32 $r3 $r3
    add f32 $r2 $r2 neg $r3
    // $r2: angle of the palette, slower as the count grows
    add f32 $r2 $r2 4.0
    lg2 f32 $r2 $r2
    add rn f32 $r2 $r2 phase
    mul f32 $r2 $r2 3.0
    add f32 $r0 $r2 1.1
    add f32 $r1 $r2 0.45
    add f32 $r2 $r2 -0.3
    presin f32 $r0 $r0
    cos f32 $r0 $r0
    presin f32 $r1 $r1
    cos f32 $r1 $r1
    presin f32 $r2 $r2
    cos f32 $r2 $r2
    mov b32 $r4 0.5
    add f32 $r0 (mul $r0 $r4) $r4
    add f32 $r1 (mul $r1 $r4) $r4
    add f32 $r2 (mul $r2 $r4) $r4
    mov b32 $r4 0x0
    mov b32 $r3 1.0
    (lg $c1) mov b32 $r0 $r4
    (lg $c1) mov b32 $r1 $r4
    exit (lg $c1) mov b32 $r2 $r4
