/* The bitcode of handlers.c as data: handlers_bc_LEVEL up to handlers_bc_LEVEL_end. Assembled once per
 * SIMD level with BEGIN, END and the path FILE.
 */
    .section .rodata
    .global BEGIN, END
    .hidden BEGIN, END
    .balign 16
BEGIN:
    .incbin FILE
END:
    .section .note.GNU-stack, "", @progbits
