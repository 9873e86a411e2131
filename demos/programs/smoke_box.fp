/* No colour: only the number of samples matters. */
.interpolants position=w smooth=0
    mov b32 $r0 0x0
    mov b32 $r1 0x0
    mov b32 $r2 0x0
    mov b32 $r3 0x0
    exit nop
