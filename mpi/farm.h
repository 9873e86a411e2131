/* The ranks of teslapipe-mpi: who they are, and how they share jobs. In: jobs (tools/job.h). Out:
 * the same files as one process writes.
 */
#ifndef MPI_FARM_H
#define MPI_FARM_H

#include "tools/job.h"

#include <mpi.h>
#include <pthread.h>

struct farm {
    int rank, ranks;
    int hosts;            /* machines */
    int on_host, threads; /* ranks on this machine; threads of this rank */
    char host[256];       /* this machine */
    int standard_error; /* other ranks than 0 write to it once the options are known to be right */
};

/* Numbers that all ranks add to, without a rank that serves them: one-sided, on rank 0. */
enum share_number { SHARE_NEXT, SHARE_DRAWN, SHARE_KEPT, SHARE_FAILED, SHARE_LEFT, SHARE_NUMBERS };
struct share_board {
    const struct farm *farm;
    MPI_Win window;
    int64_t *number;  /* rank 0: the numbers, then a flag for each unit; others: NULL */
    pthread_t thread; /* rank 0: answers ranks of other machines while this one draws */
    bool answers, ends;
};
bool board_open(struct share_board *b, const struct farm *farm, uint64_t units);
void board_close(struct share_board *b);
/* Adds to a number; returns the value before. */
int64_t board_add(struct share_board *b, enum share_number which, int64_t value);
/* Marks a unit as complete. */
void board_mark(struct share_board *b, uint64_t unit);
/* Rank 0: numbers and marks as they are now. */
int64_t board_number(struct share_board *b, enum share_number which);
bool board_is_marked(struct share_board *b, uint64_t unit);

/* Ranks other than 0 may write messages from now on; rank 0 says who is here. */
void farm_speak(void *self);
/* Frames go to whichever rank is free. why: this rank cannot draw, for this reason; NULL: it can. */
int farm_run(void *self, const struct job *job, const char *why);
/* Bands of each frame go to whichever rank is free. */
int split_run(struct farm *farm, const struct job *job);
/* The exit code of rank 0 for all. */
int farm_agree(int code);

int check_with(struct farm *farm, int argc, char **argv);

#endif
