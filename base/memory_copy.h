/* Copies of the GPU's memory (memory.c), for the stepper, which executes a warp again
 * (shader/stepper.c).
 */
#pragma once

#include "base/memory.h"

/* A space of its own with the same allocations and contents. NULL if more than `most` bytes are
 * allocated, or when out of memory. memory_destroy() frees it. m must not be written meanwhile. */
struct gpu_memory *memory_copy(struct gpu_memory *m, uint64_t most);
/* Copies m's contents into the copy once more; m has the same allocations as when the copy was
 * made. */
void memory_copy_again(struct gpu_memory *copy, struct gpu_memory *m);
