/* Which SIMD level this CPU can run; names for the command line. */
#include "base/simd.h"

#include <string.h>

static const char *const names[SIMD_LEVELS] = {"base", "avx2", "avx512"};

enum simd_level simd_best(void) {
#ifdef TP_BASE_ONLY
    return SIMD_BASE;
#endif
    __builtin_cpu_init();
    /* The sets that -march=x86-64-v3 and -v4 let the compiler use. */
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2"))
        return SIMD_BASE;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vl"))
        return SIMD_AVX2;
    return SIMD_AVX512;
}

bool simd_gathers_slowly(void) {
    __builtin_cpu_init();
    return __builtin_cpu_is("amd");
}

const char *simd_name(enum simd_level level) {
    return names[level];
}

int simd_from_name(const char *name) {
    for (int i = 0; i < SIMD_LEVELS; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}
