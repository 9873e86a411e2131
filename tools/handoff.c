/* Commands of the interactive program in the small program: each starts the interactive program.
 * Linked into the small program only. */
#include "tools/cmd_gl.h"
#include "tools/tool.h"

COMMAND(view) {
    return run_interactive(argc, argv);
}

COMMAND(debug) {
    return run_interactive(argc, argv);
}

const struct gl_parts *const gl_parts = NULL;
