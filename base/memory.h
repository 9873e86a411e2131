/* The GPU's memory: one flat, sparse address space in one large mapping (host address = base + GPU
 * address). Allocations are ranges in it. Address 0 is never handed out. Thread-safe. Knows nothing
 * of the contents.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct gpu_memory;

/* Reserves `size` bytes of address space (pages are committed when touched). fd >= 0: backed by
 * that file (a memfd), so that another mapping of it sees the same bytes; the fd is duplicated.
 * NULL when the reservation fails. */
struct gpu_memory *memory_create(uint64_t size, int fd);
/* The descriptor of the file; -1: none. */
int memory_file(const struct gpu_memory *m);
void memory_destroy(struct gpu_memory *m);

/* Allocates a range, zero-filled, and returns its GPU address, or 0. align is a power of two; at
 * least 256 is used. */
uint64_t memory_alloc(struct gpu_memory *m, uint64_t size, uint64_t align);
/* Allocates exactly [address, address + size), zero-filled, as recordings need. False if a part of
 * the range is allocated already or lies outside of the space or in its first 4096 bytes; if
 * address is not a multiple of 256, or size is 0; or when out of memory. */
bool memory_alloc_at(struct gpu_memory *m, uint64_t address, uint64_t size);
/* Frees the range that memory_alloc() or memory_alloc_at() made at this address; any other address
 * is ignored. The pages go back to the system, except for up to 64 MiB that are kept for later
 * allocations. */
void memory_free(struct gpu_memory *m, uint64_t address);

/* Bytes from address to the end of the allocation that contains it; 0 outside every allocation. */
uint64_t memory_extent(struct gpu_memory *m, uint64_t address);
/* The host pointer of an address, and memory_extent() in *extent; NULL where the extent is 0. */
void *memory_view(struct gpu_memory *m, uint64_t address, uint64_t *extent);
/* The host pointer of [address, address + size); NULL unless the range lies in one allocation. */
void *memory_at(struct gpu_memory *m, uint64_t address, uint64_t size);
/* memory_at() for callers that look up many addresses close together: no lock is taken as long as
 * the hint is right. A hint is all zero at first, and belongs to one thread. */
struct memory_hint {
    uint64_t generation, address, end; /* an allocation, valid at that generation */
};
void *memory_near(struct gpu_memory *m, struct memory_hint *hint, uint64_t address, uint64_t size);
/* The host pointer of address 0, which no allocation contains. */
void *memory_host(const struct gpu_memory *m);
/* The GPU address of a host pointer in this memory. */
uint64_t memory_address(const struct gpu_memory *m, const void *host);
/* True if [host, host + size) overlaps the mapping. */
bool memory_contains(const struct gpu_memory *m, const void *host, uint64_t size);
/* A view over allocations: the host pointer of an address, and in *size the bytes from there to the
 * end of the highest allocation. The address may lie outside of all allocations. The bytes between
 * allocations can be accessed, too. NULL above the highest allocation. */
void *memory_window(struct gpu_memory *m, uint64_t address, uint64_t *size);
/* A number that changes with every allocation and release. Views of an older generation may be
 * wrong. */
uint64_t memory_generation(const struct gpu_memory *m);
/* Bytes allocated now, and the highest number ever. */
void memory_usage(struct gpu_memory *m, uint64_t *now, uint64_t *peak);
