/* The table of vertex formats, and the call of the fetch for the SIMD level.
 */
#include "pipeline/front/vfetch.h"

#include <stddef.h>

static const struct fetch_format formats[] = {
    {0x01, 4, 16, {32, 32, 32, 32}, {0, 32, 64, 96}},
    {0x02, 3, 12, {32, 32, 32}, {0, 32, 64}},
    {0x04, 2, 8, {32, 32}, {0, 32}},
    {0x12, 1, 4, {32}, {0}},
    {0x03, 4, 8, {16, 16, 16, 16}, {0, 16, 32, 48}},
    {0x05, 3, 6, {16, 16, 16}, {0, 16, 32}},
    {0x0f, 2, 4, {16, 16}, {0, 16}},
    {0x1b, 1, 2, {16}, {0}},
    {0x0a, 4, 4, {8, 8, 8, 8}, {0, 8, 16, 24}},
    {0x13, 3, 3, {8, 8, 8}, {0, 8, 16}},
    {0x18, 2, 2, {8, 8}, {0, 8}},
    {0x1d, 1, 1, {8}, {0}},
    {0x30, 4, 4, {10, 10, 10, 2}, {0, 10, 20, 30}},
    {0x31, 3, 4, {11, 11, 10}, {0, 11, 22}},
};

const struct fetch_format *fetch_format_find(uint8_t code) {
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
        if (formats[i].code == code)
            return &formats[i];
    return NULL;
}

bool fetch_type_known(uint8_t type) {
    return type == FETCH_SNORM || type == FETCH_UNORM || type == FETCH_SINT || type == FETCH_UINT ||
           type == FETCH_USCALED || type == FETCH_SSCALED || type == FETCH_FLOAT;
}

static void (*const fetch_rows[])(const struct fetch_plan *, const struct fetch_vertices *,
                                  u32x32 *) = SIMD_TABLE(fetch_rows);

void fetch_vertices(enum simd_level simd, const struct fetch_plan *plan,
                    const struct fetch_vertices *v, u32x32 *rows) {
    fetch_rows[simd](plan, v, rows);
}
