/* The locale in which the library reads and writes numbers. A program may set a locale whose
 * decimal point is a comma. Out: from C_LOCALE_BLOCK to the end of the enclosing block, the thread
 * has the locale "C". Afterwards the thread has its own locale again.
 */
#pragma once

#include <locale.h>

/* The C library makes no object for "C", so there is nothing to free. */
static inline locale_t c_locale_begin(void) {
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

static inline void c_locale_end(const locale_t *caller) {
    uselocale(*caller);
}

#define C_LOCALE_BLOCK                                                                             \
    __attribute__((cleanup(c_locale_end), unused)) const locale_t c_locale_caller_ =               \
        c_locale_begin()
