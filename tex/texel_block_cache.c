/* The cache of decoded texel blocks, one a thread (tex/texel_block.h). */
#include "tex/texel_block.h"

static _Thread_local struct texel_block_cache cache;

struct texel_block_cache *texel_block_cache_get(void) {
    return &cache;
}
