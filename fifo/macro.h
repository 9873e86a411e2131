/* The macro processor of a Fermi (MME), which stands between the channel and the 3D engine. In: its
 * program store, parameters, the engine's registers (read). Out: methods to the engine. Must not
 * know the meaning of methods, the engine, or the pusher. Facts: fermi-3d.md §2.1.
 *
 * A macro begins with one word and takes further words as parameters. A macro that lacks a
 * parameter waits; the next parameter resumes it, in whichever packet or submission it comes.
 */
#ifndef FIFO_MACRO_H
#define FIFO_MACRO_H

#include <stdbool.h>
#include <stdint.h>

enum {
    MACRO_CODE = 0x800,  /* words of the program store */
    MACRO_COUNT = 0x80,  /* numbers of macros */
    MACRO_REGISTERS = 8, /* r0 reads as 0 */
    /* since the start, or since the last parameter was taken: */
    MACRO_LIMIT = 1 << 24, /* instructions */
    MACRO_WORK = 1 << 28   /* units of work that its methods asked for (struct macro_port) */
};

/* Methods of the macro processor. A start and a parameter come in pairs: macro n is started by
 * MACRO_START + 8n, and gets parameters by MACRO_START + 8n + 4. */
enum {
    MACRO_UPLOAD_POSITION = 0x114,
    MACRO_UPLOAD_WORD = 0x118,
    MACRO_NUMBER = 0x11c,
    MACRO_ENTRY = 0x120,
    MACRO_START = 0x3800,
};

enum macro_result {
    MACRO_DONE,         /* no macro runs */
    MACRO_WAITS,        /* the macro wants a parameter */
    MACRO_SURPLUS,      /* a parameter came when no macro runs, and was dropped */
    MACRO_OUTSIDE,      /* the program counter left the store */
    MACRO_ILLEGAL,      /* an operation that does not exist */
    MACRO_ENDLESS,      /* MACRO_LIMIT was reached */
    MACRO_TOO_MUCH,     /* MACRO_WORK was reached */
    MACRO_NO_SUCH,      /* a number from MACRO_COUNT on */
    MACRO_BEYOND_STORE, /* an upload behind the store, dropped */
    MACRO_NESTED,       /* a macro was started, fed or uploaded by its own methods; ignored */
    MACRO_RESULTS
};

/* The whole state: plain data without pointers, so that a copy is a state of its own. All zero is
 * the state after reset. */
struct macro {
    uint32_t code[MACRO_CODE];
    uint32_t entry[MACRO_COUNT]; /* index in code[] */
    uint32_t upload;             /* index in code[] of the next uploaded word */
    uint32_t number;             /* of the next uploaded entry */
    uint32_t reg[MACRO_REGISTERS];
    uint32_t pc, next;  /* indices in code[] of this instruction and of the one that follows */
    uint32_t method;    /* 12 bits, in words: where the next word is sent */
    uint32_t increment; /* 6 bits, in words: a send adds it to method */
    uint32_t steps;     /* instructions that count for MACRO_LIMIT */
    uint32_t fault;     /* pc of the last error */
    uint64_t work;      /* the port's units when MACRO_WORK began to count */
    uint8_t state;      /* enum macro_state */
    bool carry;
    bool ending; /* the next instruction is the last */
};
enum macro_state {
    MACRO_IDLE,
    MACRO_WAITING, /* before an instruction that takes a parameter */
    MACRO_RUNNING, /* only inside of a call of this file */
    MACRO_FAILED,  /* as idle, but parameters are dropped without MACRO_SURPLUS */
};

/* The engine behind the macro processor. Method addresses are in bytes, multiples of 4 below
 * 0x4000; send must not hand them to this file again (MACRO_NESTED). */
struct macro_port {
    void *self;
    void (*send)(void *self, uint32_t method, uint32_t word);
    uint32_t (*read)(void *self, uint32_t method); /* the last value of any method */
    uint64_t (*work)(void *self); /* units of work so far: primitives; NULL: not counted */
};

/* Starts a macro with its first word in r1, and runs it to its end or until a parameter is missing.
 * The other registers, the carry and the method address begin as 0. A macro that waits is given
 * up (state MACRO_WAITING). After an error no macro runs; sends before it have been made. */
enum macro_result macro_start(struct macro *m, const struct macro_port *port, uint32_t number,
                              uint32_t word);
/* Gives one parameter to the macro that waits, and runs it on. */
enum macro_result macro_parameter(struct macro *m, const struct macro_port *port, uint32_t word);

/* The upload methods. Words go to the position and advance it; entries go to the number and
 * advance it. */
void macro_upload_position(struct macro *m, uint32_t position);
enum macro_result macro_upload_word(struct macro *m, uint32_t word);
void macro_number(struct macro *m, uint32_t number);
enum macro_result macro_entry(struct macro *m, uint32_t position);

/* Any method: false if it is not one of the macro processor, otherwise it is executed, with its
 * result. */
bool macro_method(struct macro *m, const struct macro_port *port, uint32_t method, uint32_t word,
                  enum macro_result *result);

/* True for results that a caller should log: all but done, waits and surplus. */
static inline bool macro_is_error(enum macro_result result) {
    return result > MACRO_SURPLUS;
}
/* The text for the log, without a full stop. */
const char *macro_text(enum macro_result result);

#endif
