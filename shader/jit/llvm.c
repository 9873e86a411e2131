/* Opens the LLVM library: see llvm.h. */
#define _GNU_SOURCE
#include "shader/jit/llvm.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static struct llvm functions;
static bool opened;
static char why[256];

static void *open_library(void) {
    static const char *const names[] = {"libLLVM.so.19.1", "libLLVM-19.so.1", "libLLVM-19.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library)
            return library;
    }
    return NULL;
}

/* ---- statics that live for ever ---- */

/* LLVM makes static objects when it first needs them, in the middle of a compilation, and registers
 * their destructors then. When the process exits, the latest registered go first: before any handler
 * of ours could stop the thread that is compiling. So the library's calls of __cxa_atexit are led
 * here, and those objects are left to the end of the process. */
static int forget_destructor(void (*destructor)(void *), void *object, void *library) {
    (void)destructor, (void)object, (void)library;
    return 0;
}

static const void *dynamic_entry(const struct link_map *map, ElfW(Sxword) tag) {
    for (const ElfW(Dyn) *d = map->l_ld; d->d_tag != DT_NULL; d++)
        if (d->d_tag == tag)
            return (const void *)d->d_un.d_ptr;
    return NULL;
}

static bool write_slot(void **slot, void *value) {
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    void *start = (void *)((uintptr_t)slot & ~(page - 1));
    if (mprotect(start, page, PROT_READ | PROT_WRITE))
        return false;
    *slot = value; /* the page stays writable: more than relocations may lie there */
    return true;
}

/* Leads the relocations of a table that name __cxa_atexit. */
static bool lead_table(const struct link_map *map, const ElfW(Rela) *table, size_t size) {
    const ElfW(Sym) *symbols = dynamic_entry(map, DT_SYMTAB);
    const char *names = dynamic_entry(map, DT_STRTAB);
    bool led = false;
    for (size_t i = 0; table && symbols && names && i < size / sizeof *table; i++) {
        const unsigned type = ELF64_R_TYPE(table[i].r_info);
        const ElfW(Sym) *symbol = &symbols[ELF64_R_SYM(table[i].r_info)];
        if ((type == R_X86_64_JUMP_SLOT || type == R_X86_64_GLOB_DAT) &&
            !strcmp(names + symbol->st_name, "__cxa_atexit"))
            led |= write_slot((void **)(map->l_addr + table[i].r_offset),
                              (void *)forget_destructor);
    }
    return led;
}

static bool keep_statics(void *library) {
    struct link_map *map;
    if (dlinfo(library, RTLD_DI_LINKMAP, &map))
        return false;
    const bool calls = lead_table(map, dynamic_entry(map, DT_JMPREL),
                                  (size_t)dynamic_entry(map, DT_PLTRELSZ));
    const bool data =
        lead_table(map, dynamic_entry(map, DT_RELA), (size_t)dynamic_entry(map, DT_RELASZ));
    return calls || data;
}

/* ---- the library ---- */

static void open_once(void) {
    void *library = open_library();
    if (!library) {
        snprintf(why, sizeof why, "no LLVM 19 library: %s", dlerror());
        return;
    }
    if (!keep_statics(library)) {
        snprintf(why, sizeof why, "the LLVM library's static objects cannot be kept");
        return;
    }
    const struct {
        const char *name;
        void *slot;
    } table[] = {
#define X(function) {"LLVM" #function, &functions.function},
        LLVM_FUNCTIONS(X)
#undef X
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        void *at = dlsym(library, table[i].name);
        if (!at) {
            snprintf(why, sizeof why, "the LLVM library has no %s", table[i].name);
            return;
        }
        *(void **)table[i].slot = at;
    }
    functions.InitializeX86TargetInfo();
    functions.InitializeX86Target();
    functions.InitializeX86TargetMC();
    functions.InitializeX86AsmPrinter();
    functions.InitializeX86AsmParser();
    opened = true;
}

const struct llvm *llvm_open(char *error, size_t error_size) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_once);
    if (!opened)
        snprintf(error, error_size, "%s", why);
    return opened ? &functions : NULL;
}
