/* The ranks of teslapipe-mpi: which they are, and how they share jobs. Used by all files of mpi/.
 * In: jobs (tools/job.h). Out: the same files as one process writes.
 */
#pragma once

#include "tools/job.h"

#include <mpi.h>
#include <pthread.h>

struct farm {
    int rank, ranks;
    int hosts;            /* number of machines */
    int on_host, threads; /* ranks on this machine; threads of this rank */
    char host[256];       /* name of this machine */
    /* Ranks other than 0: the real stderr, until farm_speak; -1 afterwards and in rank 0. */
    int standard_error;
};

/* Numbers in rank 0's memory that all ranks add to; no rank has to serve requests. */
enum share_number { SHARE_NEXT, SHARE_DRAWN, SHARE_KEPT, SHARE_FAILED, SHARE_LEFT, SHARE_NUMBERS };
struct share_board {
    const struct farm *farm;
    MPI_Win window;
    int64_t *number;  /* rank 0: the numbers, then a mark for each unit; others: not used */
    pthread_t thread; /* rank 0: lets MPI answer ranks of other machines while rank 0 draws */
    bool answers, ends;
};
bool board_open(struct share_board *b, const struct farm *farm, uint64_t units);
void board_close(struct share_board *b);
/* Adds to a number. Returns the value before. */
int64_t board_add(struct share_board *b, enum share_number which, int64_t value);
/* Marks a unit (a frame) as complete. */
void board_mark(struct share_board *b, uint64_t unit);
/* The present value of a number; whether a unit is marked. */
int64_t board_number(struct share_board *b, enum share_number which);
bool board_is_marked(struct share_board *b, uint64_t unit);

/* Lets ranks other than 0 write messages from now on; rank 0 prints how many ranks there are. */
void farm_speak(void *self);
/* Draws a job; each rank takes the next frame when it is free, or bands of frames if job->split.
 * why: the reason why this rank cannot draw; NULL: it can. */
int farm_run(void *self, const struct job *job, const char *why);
/* Draws a job of frames in bands, which the ranks share (split.c). */
int split_run(struct farm *farm, const struct job *job);
/* Returns rank 0's exit code on all ranks. */
int farm_agree(int code);

int check_with(struct farm *farm, int argc, char **argv);
