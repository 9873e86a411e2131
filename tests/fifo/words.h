/* The words of a method as arguments, one after the other. The including file defines method(). */
#ifndef TESTS_FIFO_WORDS_H
#define TESTS_FIFO_WORDS_H

#define METHOD(f, subchannel, address, ...)                                                        \
    method(f, subchannel, address, LENGTH(((const uint32_t[]){__VA_ARGS__})),                      \
           (const uint32_t[]){__VA_ARGS__})
/* The two words of an address. */
#define HIGH_LOW(address) (uint32_t)((address) >> 32), (uint32_t)(address)

#endif
