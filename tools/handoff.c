/* Commands that only build/teslapipe-interactive can run: in build/teslapipe, each starts that
 * program. Linked into build/teslapipe only. */
#include "tools/cmd_gl.h"

COMMAND(view) {
    return run_interactive(argc, argv);
}

COMMAND(debug) {
    return run_interactive(argc, argv);
}

const struct gl_parts *const gl_parts = NULL;
