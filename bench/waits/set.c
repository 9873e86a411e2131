/* The workloads in which a program waits, or moves bytes. */
#include "bench/waits/waits.h"

const struct program_set program_set = {
    3, 3, {&readback, &upload, &blits, &video, &picking, &tiles, &queries}};
