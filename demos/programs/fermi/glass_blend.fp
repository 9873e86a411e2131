// Blends the nodes of this pixel's list from back to front, and empties the list. Each walk through the
// list finds the farthest node before the one that was blended last. Nodes of one depth go by their
// colour, so that the result does not depend on the order of the list.
// Out: colour, and the share of the background that shows through.
.variant gf100
.include "common.macros"

// p = (depth, colour, number) of a is less than that of b; $p6 is lost
.macro less p ad ac an bd bc bn
    set $p6 0x1 eq u32 \ac \bc
    set $p6 0x1 lt u32 \an \bn and $p6
    set $p6 0x1 lt u32 \ac \bc or $p6
    set $p6 0x1 eq u32 \ad \bd and $p6
    set \p 0x1 lt u32 \ad \bd or $p6
.endm
// x = x * (1 - opacity) + 8 bits of $r14 from bit n * opacity; the opacity is in $r20
.macro blend x n
    shr u32 $r21 $r14 clamp \n
    and b32 $r21 $r21 0xff
    to_float $r21 $r21
    mul f32 $r21 $r21 0x3b808081            // 1 / 255
    add rn f32 $r21 $r21 neg \x
    fma rn f32 \x $r21 $r20 \x
.endm

    interp pass f32 $r4 a[0x70] 0x0 0x0
    interp pass f32 $r5 a[0x74] 0x0 0x0
    pixel_head $r4 $r5 c0[0x0] c0[0x4]
    ld b32 $r6 ca g[$r4d]                   // head
    set $p0 0x1 eq u32 $r6 0x0
    $p0 discard
    mov b32 $r0 0x0
    mov b32 $r1 0x0
    mov b32 $r2 0x0
    mov b32 $r3 1.0
    mov b32 $r16 -0x1                       // the last one: farther than all
    mov b32 $r17 -0x1
    mov b32 $r18 -0x1
    prebrk #done
walk:
    mov b32 $r13 0x0                        // the farthest so far: depth, colour, number
    mov b32 $r14 0x0
    mov b32 $r15 0x0
    mov b32 $r22 0x0                        // nodes that are not blended yet
    mov b32 $r7 $r6
    prebrk #walked
next:
    set $p0 0x1 eq u32 $r7 0x0
    $p0 brk
    shl b32 $r8 $r7 clamp 0x4
    add b32 $r8 $c $r8 c0[0x8]
    mov b32 $r9 c0[0xc]
    add b32 $r9 $r9 0x0 $c
    ld b128 $r8q ca g[$r8d]                 // next, depth, colour
    less $p1 $r9 $r10 $r7 $r16 $r17 $r18
    $p1 add b32 $r22 $r22 0x1
    less $p2 $r13 $r14 $r15 $r9 $r10 $r7
    set $p1 0x1 $p1 and $p2
    $p1 mov b32 $r13 $r9
    $p1 mov b32 $r14 $r10
    $p1 mov b32 $r15 $r7
    mov b32 $r7 $r8
    bra #next
walked:
    shr u32 $r20 $r14 clamp 0x18
    to_float $r20 $r20
    mul f32 $r20 $r20 0x3b808081
    blend $r0 0x0
    blend $r1 0x8
    blend $r2 0x10
    mul f32 $r21 $r20 -1.0
    fma rn f32 $r3 $r21 $r3 $r3
    set $p0 0x1 lt u32 $r22 0x2
    $p0 brk
    mov b32 $r16 $r13
    mov b32 $r17 $r14
    mov b32 $r18 $r15
    bra #walk
done:
    mov b32 $r6 0x0
    st b32 wb g[$r4d] $r6
    exit
