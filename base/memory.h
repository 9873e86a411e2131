/* The GPU's memory: one flat, sparse address space in one large mapping (host address = base + GPU
 * address). Allocations are ranges in it; every view carries its limit. Address 0 is never handed
 * out. Thread-safe. Knows nothing of what lies in the ranges.
 */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdbool.h>
#include <stdint.h>

struct gpu_memory;

/* Reserves `size` bytes of address space (pages are committed when touched). fd >= 0: backed by that
 * file (a memfd), so that another mapping of it sees the same bytes; the fd is duplicated.
 * NULL when the reservation fails. */
struct gpu_memory *memory_create(uint64_t size, int fd);
void memory_destroy(struct gpu_memory *m);

/* Allocates a range, zero-filled; align is a power of two (at least 256 is used). GPU address, or 0. */
uint64_t memory_alloc(struct gpu_memory *m, uint64_t size, uint64_t align);
/* Allocates exactly [address, address + size), zero-filled (for replaying what was recorded). False if any of
 * it is taken. */
bool memory_alloc_at(struct gpu_memory *m, uint64_t address, uint64_t size);
/* Frees a range made by memory_alloc; its pages go back to the system, but for 64 MiB that may wait
 * for the next allocation. 0 is fine. */
void memory_free(struct gpu_memory *m, uint64_t address);

/* Bytes from address to the end of the allocation that contains it; 0 outside every allocation. */
uint64_t memory_extent(struct gpu_memory *m, uint64_t address);
/* Both at once: host pointer to address and, in *extent, that number; NULL where it is 0. */
void *memory_view(struct gpu_memory *m, uint64_t address, uint64_t *extent);
/* Host pointer to [address, address + size), or NULL unless all of it lies in one allocation. */
void *memory_at(struct gpu_memory *m, uint64_t address, uint64_t size);
/* The same for who looks up one place after the other, most of them close together: no lock is taken
 * while the hint, zero at first, is right. One hint belongs to one thread. */
struct memory_hint {
    uint64_t generation, address, end; /* an allocation, as of then */
};
void *memory_near(struct gpu_memory *m, struct memory_hint *hint, uint64_t address, uint64_t size);
/* The GPU address of a host pointer that one of these functions gave. */
uint64_t memory_address(const struct gpu_memory *m, const void *host);
/* Whether [host, host + size) meets the mapping. */
bool memory_contains(const struct gpu_memory *m, const void *host, uint64_t size);
/* A view over allocations: host pointer to address, which may lie outside all of them, and in *size
 * the bytes from there to the end of the highest one. What lies between them can be touched, too.
 * NULL above the highest. */
void *memory_window(struct gpu_memory *m, uint64_t address, uint64_t *size);
/* Changes with every allocation and release: views made before may be wrong since. */
uint64_t memory_generation(const struct gpu_memory *m);
/* Bytes allocated now, and the highest number ever. */
void memory_usage(struct gpu_memory *m, uint64_t *now, uint64_t *peak);

#endif
