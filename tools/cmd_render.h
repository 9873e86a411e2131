/* `render` for a program other than teslapipe, such as teslapipe-mpi, which runs jobs in its own
 * way. */
#pragma once

#include "tools/job.h"

int render_with(const struct job_runner *runner, int argc, char **argv);
