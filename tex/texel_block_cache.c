/* The cache of decoded texel blocks, one a thread (tex/texel_block.h). A thread's cache is made at
 * its first use. A cache in thread-local storage would take its memory from the stack of every
 * thread of any program that loads the library.
 */
#include "tex/texel_block.h"

#include <pthread.h>
#include <sys/mman.h>

static _Thread_local struct texel_block_cache *cache;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key; /* the key's destructor frees the cache when the thread ends */
static bool has_key;

static void give_back(void *own) {
    munmap(own, sizeof *cache);
    cache = NULL;
}

static void make_key(void) {
    has_key = pthread_key_create(&key, give_back) == 0;
}

/* Threads may outlive the library. After the key is deleted, the end of a thread no longer calls
 * give_back(). */
__attribute__((destructor)) static void delete_key(void) {
    if (has_key)
        pthread_key_delete(key);
}

static struct texel_block_cache *make_cache(void) {
    pthread_once(&once, make_key);
    if (!has_key)
        return NULL;
    void *new =
        mmap(NULL, sizeof *cache, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (new == MAP_FAILED)
        return NULL;
    if (pthread_setspecific(key, new) != 0) {
        munmap(new, sizeof *cache);
        return NULL;
    }
    return cache = new;
}

struct texel_block_cache *texel_block_cache_get(void) {
    return cache ? cache : make_cache();
}
