/* `replay` for a program other than teslapipe, such as teslapipe-mpi, which runs jobs in its own
 * way. */
#ifndef TOOLS_CMD_REPLAY_H
#define TOOLS_CMD_REPLAY_H

#include "tools/job.h"

int replay_with(const struct job_runner *runner, int argc, char **argv);

#endif
