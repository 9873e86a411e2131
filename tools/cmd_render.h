/* render for other programs than teslapipe, which run its jobs in their own way.
 */
#ifndef TOOLS_CMD_RENDER_H
#define TOOLS_CMD_RENDER_H

#include "tools/job.h"

int render_with(const struct job_runner *runner, int argc, char **argv);

#endif
