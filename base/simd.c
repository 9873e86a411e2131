/* The SIMD level that this CPU can run; names of levels for the command line; the variable that
 * holds the floating-point mode where hosts have none (fp_mode.h).
 */
#define _GNU_SOURCE
#include "base/fp_mode.h"
#include "base/simd.h"

#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#if !defined(FP_HOST_MODE)
_Thread_local unsigned fp_mode_of_thread = FP_PLAIN;
#endif

static const char *const names[SIMD_LEVELS] = {"base", "avx2", "avx512"};

enum simd_level simd_best(void) {
#ifdef TP_BASE_ONLY
    return SIMD_BASE;
#else
    __builtin_cpu_init();
    /* Tests a part of the instruction sets of -march=x86-64-v3 and -v4: processors with these sets
     * have the others, too. */
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") ||
        !__builtin_cpu_supports("bmi") || !__builtin_cpu_supports("bmi2"))
        return SIMD_BASE;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw") ||
        !__builtin_cpu_supports("avx512cd") || !__builtin_cpu_supports("avx512dq") ||
        !__builtin_cpu_supports("avx512vl"))
        return SIMD_AVX2;
    return SIMD_AVX512;
#endif
}

bool simd_gathers_slowly(void) {
#ifdef TP_BASE_ONLY
    return false; /* the base level has no gathers */
#else
    __builtin_cpu_init();
    return __builtin_cpu_is("amd") || __builtin_cpu_is("skylake-avx512") ||
           __builtin_cpu_is("cascadelake") || __builtin_cpu_is("cooperlake") ||
           __builtin_cpu_is("cannonlake") || __builtin_cpu_is("icelake-client") ||
           __builtin_cpu_is("icelake-server") || __builtin_cpu_is("tigerlake") ||
           __builtin_cpu_is("rocketlake");
#endif
}

bool simd_permutes_bytes(void) {
#ifdef TP_BASE_ONLY
    return false;
#else
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx512vbmi");
#endif
}

#if defined(__wasm__)
void simd_load_constants(void) {
}
#else
static bool is_inside(const struct dl_phdr_info *object, const ElfW(Phdr) * p, const void *at) {
    return (uintptr_t)at - (object->dlpi_addr + p->p_vaddr) < p->p_memsz;
}

/* Populates the read-only segments of this program or library. Systems that do not know the request
 * (Linux before 5.14) refuse it, and nothing changes. */
static int load_object(struct dl_phdr_info *object, size_t, void *page_size) {
    const uintptr_t page = *(const uintptr_t *)page_size;
    bool own = false;
    for (int i = 0; i < object->dlpi_phnum; i++)
        own |= object->dlpi_phdr[i].p_type == PT_LOAD &&
               is_inside(object, &object->dlpi_phdr[i], names);
    for (int i = 0; own && i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &object->dlpi_phdr[i];
        const uintptr_t at = object->dlpi_addr + p->p_vaddr, before = at % page;
        if ((p->p_type == PT_LOAD && p->p_flags == PF_R) || p->p_type == PT_GNU_RELRO)
            (void)madvise((void *)(at - before), p->p_memsz + before, MADV_POPULATE_READ);
    }
    return own;
}

void simd_load_constants(void) {
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    dl_iterate_phdr(load_object, &page);
}

#endif

const char *simd_name(enum simd_level level) {
    return names[level];
}

int simd_from_name(const char *name) {
    for (int i = 0; i < SIMD_LEVELS; i++)
        if (strcmp(name, names[i]) == 0)
            return i;
    return -1;
}
