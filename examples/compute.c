/* A compute program: multiplies 1,000 numbers by a parameter, in place, in blocks of 64 threads. */
#include "example.h"

#include <string.h>

enum { COUNT = 1000, BLOCK = 64 };

static const char program_text[] = /* s[0x10]: number of elements; s[0x14]: the factor */
    "cvt u32 $r1 u16 $r0l\n"       /* thread in the block */
    "ld $r2 u16 s[0xc]\n"          /* number of the block */
    "shl b32 $r2 $r2 0x6\nadd b32 $r1 $r1 $r2\n"
    "ld $r3 b32 s[0x10]\nset $c0 # l u32 $r1 $r3\n(e $c0) bra #end\n" /* beyond the last element */
    "shl b32 $r1 $r1 0x2\nld b32 $r4 g0[$r1]\n"
    "ld $r5 b32 s[0x14]\nmul f32 $r4 $r4 $r5\nst b32 g0[$r1] $r4\nend: exit nop\n";

int main(void) {
    static float number[COUNT];
    for (int i = 0; i < COUNT; i++)
        number[i] = (float)i;
    const float factor = 1.5f;
    uint32_t params[2] = {COUNT, 0};
    memcpy(&params[1], &factor, sizeof factor);

    tp_context *context = open_context();
    tp_program *program = use_program(context, TP_COMPUTE, program_text);
    tp_buffer *buffer = make_buffer(sizeof number, number);
    check(tp_bind_global(context, 0, buffer, 0, sizeof number));
    check(tp_dispatch(context, (const uint32_t[2]){(COUNT + BLOCK - 1) / BLOCK, 1},
                      (const uint32_t[3]){BLOCK, 1, 1}, params, 2));
    check(tp_buffer_read(context, buffer, 0, number, sizeof number));
    check(tp_finish(context)); /* returns an error if the program failed */
    for (int i = 0; i < COUNT; i++)
        expect(number[i] == 1.5f * (float)i, "each number times 1.5");
    tp_buffer_destroy(buffer);
    tp_program_destroy(program);
    tp_context_destroy(context), tp_device_destroy(device);
}
