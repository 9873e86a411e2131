/* Loads the library assimp at run time. Out: its functions, or the reason of a failure. */
#include "demos/assimp.h"

#include <dlfcn.h>

bool assimp_open(struct assimp *a, const char **why) {
    void *library = dlopen("libassimp.so.5", RTLD_NOW | RTLD_LOCAL);
    if (!library)
        library = dlopen("libassimp.so", RTLD_NOW | RTLD_LOCAL);
    *a = (struct assimp){0};
#define X(name) a->name = library ? (__typeof__(a->name))dlsym(library, "ai" #name) : NULL;
    ASSIMP_FUNCTIONS(X)
#undef X
#define X(name) &&a->name
    if (true ASSIMP_FUNCTIONS(X))
        return true;
#undef X
    *why = dlerror();
    return false;
}
