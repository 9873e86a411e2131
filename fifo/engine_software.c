/* The software class of Fermi's channels (906e). The driver makes and binds the object, and sends
 * it no method.
 */
#include "fifo/engine.h"

#include <stdlib.h>

static const struct method methods[] = {{0x100, 0, 0, 0, false, "NOP", NULL}};

static struct engine *create_software(struct channel *, uint32_t) {
    return calloc(1, sizeof(struct engine));
}

static void destroy_software(struct engine *e) {
    free(e);
}

const struct engine_class engine_software = {
    "SW", methods, NULL, 1, create_software, destroy_software, NULL, NULL,
};
