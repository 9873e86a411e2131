/* Opens the LLVM library: see llvm.h. */
#include "shader/jit/llvm.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

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

static void open_once(void) {
    void *library = open_library();
    if (!library) {
        snprintf(why, sizeof why, "no LLVM 19 library: %s", dlerror());
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
