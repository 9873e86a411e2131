/* A white point of light.  v: 1/w, light. */
.interpolants position=w flat=1

    interp $r0 flat v[0x4]
    mov b32 $r1 $r0
    mov b32 $r2 $r0
    mov b32 $r3 1.0
    exit nop
