/* Enters native code from C: puts the warp, its environment and its active lanes into registers
 * (STATE in stencil_code.h) and aligns the stack. Returns the warp_status that the code leaves
 * with.
 *
 *   enum warp_status native_enter(struct warp *w, const struct warp_env *env, const void *code,
 *                                 lane_mask active);
 */
__asm__(".text\n"
        ".globl native_enter\n"
        ".hidden native_enter\n"
        ".type native_enter, @function\n"
        "native_enter:\n"
        "    .cfi_startproc\n"
        "    endbr64\n"
        "    pushq %rbp\n"
        "    .cfi_def_cfa_offset 16\n"
        "    .cfi_offset %rbp, -16\n"
        "    movq %rsp, %rbp\n"
        "    .cfi_def_cfa_register %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rdi, %r13\n"
        "    movq %rsi, %r12\n"
        "    movl %ecx, %r14d\n"
        "    movl %ecx, %r15d\n"
        "    andq $-128, %rsp\n"
        "    call *%rdx\n"
        "    leaq -40(%rbp), %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    .cfi_def_cfa %rsp, 8\n"
        "    ret\n"
        "    .cfi_endproc\n"
        ".size native_enter, . - native_enter\n");
