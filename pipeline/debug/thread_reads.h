/* The memory that one thread reads: bytes of g[], texels of images, and texels that its samples
 * read; of all these, only memory that programs have written. In: a warp before each of its
 * instructions. Out: a list. The texture unit itself finds the texels of a sample: it samples
 * textures that are 0 everywhere except in one range of addresses (texel_shadow.h), and the range
 * is halved until it is one texel.
 */
#pragma once

#include "base/ranges.h"
#include "shader/warp.h"

enum { READ_BYTES = 16, READ_TEXT = 128, THREAD_READS = 1024, SAMPLE_TEXELS = 32 };

/* Memory that stores of programs have written, rounded to pages. */
struct written_pages {
    struct range_set set;
    bool incomplete; /* memory ran out */
};
void written_pages_add(struct written_pages *p, uint64_t address, uint64_t size);
void written_pages_free(struct written_pages *p);

struct thread_read {
    uint64_t address;
    uint32_t size; /* in bytes, at most READ_BYTES */
    uint32_t at;   /* address of the instruction */
    bool texel;    /* through a texture or an image */
    uint8_t bytes[READ_BYTES];
    char text[READ_TEXT]; /* the instruction */
};

struct thread_reads {
    struct gpu_memory *memory; /* the device's memory: to be set first, with all other fields 0 */
    struct thread_read *read;  /* [count] in the order of execution; each read stands here once */
    size_t count, capacity;
    bool cut; /* there were more than THREAD_READS, or memory ran out */
    /* private */
    struct warp *copy;
    struct texel_shadows *shadows;
    const struct written_pages *pages;
    uint64_t first, end, asked; /* the range that the texture unit searches; its number */
};

/* Adds the reads of the instruction at the warp's pc, which the lane is about to execute. Memory
 * that is not in `pages` is left out. */
void thread_reads_note(struct thread_reads *r, const struct written_pages *pages,
                       const struct warp *w, const struct warp_env *env, unsigned lane);
/* Runs a copy of the warp to its end, and notes the lane's reads. False when out of memory. */
bool thread_reads_run(struct thread_reads *r, const struct written_pages *pages,
                      const struct warp *start, const struct warp_env *env, unsigned lane);
void thread_reads_free(struct thread_reads *r);
