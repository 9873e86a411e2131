/* Descriptors that this library holds for itself: memory, shared buffers, sockets of the display,
 * files that are written. A machine with a board has no such descriptors. So a program that closes
 * all descriptors that it does not know and goes on drawing must not close these (preload.c).
 */
#pragma once

#include <stdbool.h>

/* Marks a descriptor as held. fd -1: nothing. Returns fd. */
int held_mark(int fd);
/* Moves a descriptor to a high number, if there is one, and marks it as held. Programs put their
 * own descriptors in the place of low numbers by dup2. Returns the new number. */
int held_move(int fd);
/* The least of the high numbers. */
enum { HELD_FIRST = 700 };
/* Closes a held descriptor. fd -1: nothing. */
void held_close(int fd);
bool is_held(int fd);
