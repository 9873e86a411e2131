/* The board: memory of rank 0 that all ranks access one-sided (farm.h). The board has numbers, and
 * for each unit a word that says whether the unit is complete ("marked"). On one machine the memory
 * is shared. Between machines, MPI answers accesses only while rank 0 is in a call of MPI, so a
 * thread of rank 0 calls MPI every LOOK_EVERY. If MPI allows no second thread, accesses wait until
 * rank 0 itself calls MPI.
 */
#include "mpi/farm.h"

#include <string.h>
#include <time.h>

enum { LOOK_EVERY = 500000 /* ns */ };

static void *answer(void *self) {
    struct share_board *b = self;
    const struct timespec pause = {0, LOOK_EVERY};
    while (!__atomic_load_n(&b->ends, __ATOMIC_ACQUIRE)) {
        int flag;
        MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
        nanosleep(&pause, NULL);
    }
    return NULL;
}

bool board_open(struct share_board *b, const struct farm *farm, uint64_t units) {
    *b = (struct share_board){.farm = farm};
    const size_t bytes = farm->rank == 0 ? (SHARE_NUMBERS + units) * sizeof(int64_t) : 0;
    int level;
    if (MPI_Win_allocate((MPI_Aint)bytes, sizeof(int64_t), MPI_INFO_NULL, MPI_COMM_WORLD,
                         &b->number, &b->window) != MPI_SUCCESS)
        return false;
    if (bytes)
        memset(b->number, 0, bytes);
    MPI_Win_lock_all(0, b->window);
    MPI_Win_sync(b->window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Query_thread(&level);
    b->answers = farm->rank == 0 && farm->hosts > 1 && level == MPI_THREAD_MULTIPLE &&
                 pthread_create(&b->thread, NULL, answer, b) == 0;
    return true;
}

void board_close(struct share_board *b) {
    if (b->answers) {
        __atomic_store_n(&b->ends, true, __ATOMIC_RELEASE);
        pthread_join(b->thread, NULL);
    }
    MPI_Win_unlock_all(b->window);
    MPI_Win_free(&b->window);
}

static int64_t add_at(struct share_board *b, MPI_Aint at, int64_t value) {
    int64_t before = 0;
    MPI_Fetch_and_op(&value, &before, MPI_INT64_T, 0, at, MPI_SUM, b->window);
    MPI_Win_flush(0, b->window);
    return before;
}

int64_t board_add(struct share_board *b, enum share_number which, int64_t value) {
    return add_at(b, (MPI_Aint)which, value);
}

void board_mark(struct share_board *b, uint64_t unit) {
    add_at(b, (MPI_Aint)(SHARE_NUMBERS + unit), 1);
}

int64_t board_number(struct share_board *b, enum share_number which) {
    return add_at(b, (MPI_Aint)which, 0);
}

bool board_is_marked(struct share_board *b, uint64_t unit) {
    return add_at(b, (MPI_Aint)(SHARE_NUMBERS + unit), 0) != 0;
}
