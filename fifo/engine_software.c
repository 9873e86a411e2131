/* The software class of Fermi's channels (906e). The driver makes and binds the object, and sends
 * it no method.
 */
#include "fifo/engine.h"

static const struct method methods[] = {{0x100, 0, 0, 0, false, "NOP", NULL}};

const struct engine_class engine_software = {
    .name = "SW", .size = sizeof(struct engine), .method = methods, .method_count = 1};
