/* The memory that an instruction is about to access: the bytes in each lane, and the lanes whose
 * access is out of range. In: a warp, its environment, an instruction before its execution. Out: a
 * list. For observers; changes nothing. The rules are those of exec_memory.c, exec_fermi_memory.c
 * and exec_fermi_atomics.c. The list leaves out Fermi's a[]. access_image() lists accesses to
 * images.
 */
#pragma once

#include "shader/warp.h"

enum access_kind { ACCESS_READ, ACCESS_WRITE, ACCESS_ATOMIC };

struct access {
    /* enum operand_file: FILE_CONST to FILE_OUT; an access to a window of g[]: s[] or l[] */
    uint8_t file;
    uint8_t index;        /* c<index>[], g<index>[] */
    uint8_t size;         /* bytes in a lane */
    uint8_t kind;         /* enum access_kind */
    lane_mask lanes;      /* lanes that make the access */
    lane_mask outside;    /* lanes of the access with a byte out of range */
    lane_mask misaligned; /* lanes whose address is not aligned (Fermi, generic64) */
    uint64_t limit;       /* bytes of the space, from address 0 on; UINT64_MAX: no limit */
    uint64_t at[LANES];   /* byte address in the space, aligned down; tiled g[]: x and y as given */
    const struct operand *data; /* stores: the data; else NULL */
};
enum { ACCESSES = 12 };

/* Returns the number of accesses: first those of the instruction's sources, then the
 * destination's. */
uint32_t access_list(const struct warp *w, const struct warp_env *env, const struct op *op,
                     lane_mask m, struct access list[ACCESSES]);

/* The address in `memory`, the GPU's memory, of an access to g[]; 0 if the access is to another
 * space or out of range. Views of g[] lie in this memory. */
uint64_t access_address(const struct warp_env *env, const struct gpu_memory *memory,
                        const struct access *a, unsigned lane);

/* An access to images of Fermi: the texels in the GPU's memory, and the words of a store. */
struct image_access {
    uint8_t size;           /* bytes in a lane */
    uint8_t kind;           /* enum access_kind */
    lane_mask lanes;        /* lanes whose texel is in memory */
    lane_mask outside;      /* lanes whose texel lies outside of the image */
    uint32_t width, height; /* of the image of the first lane in `outside` */
    uint64_t at[LANES];
    uint32_t word[4][LANES];
};
/* Finds the texels of an access to images. False: the instruction accesses no image, or no lane has
 * a texel in memory or outside of its image. */
bool access_image(const struct warp *w, const struct warp_env *env, const struct op *op,
                  lane_mask m, struct image_access *a);
