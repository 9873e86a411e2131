/* Where a thread keeps the blocks that it has decoded (tex/texel_block.h). */
#include "tex/texel_block.h"

static _Thread_local struct texel_block_cache cache;

struct texel_block_cache *texel_block_cache_get(void) {
    return &cache;
}
