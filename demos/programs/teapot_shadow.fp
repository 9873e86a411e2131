/* Darkness by blending: colour 0, alpha says how much of the floor's light is lost. */
.interpolants position=w smooth=0

    mov b32 $r0 0x0
    mov b32 $r1 0x0
    mov b32 $r2 0x0
    mov b32 $r3 0.45
    exit nop
