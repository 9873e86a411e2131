/* Where a thread keeps the blocks that it has decoded (tex/block.h). */
#include "tex/block.h"

static _Thread_local struct block_cache cache;

struct block_cache *block_cache_get(void) {
    return &cache;
}
