/* The macro processor (MME) of a Fermi; it stands between the pusher and the 3D engine. In: its
 * program store, parameters, values of the engine's registers. Out: methods to the engine. Must not
 * know the meaning of methods, the engine, or the pusher. Facts: fermi-3d.md §2.1.
 *
 * A macro begins with one word and takes further words as parameters. A macro that lacks a
 * parameter waits. The next parameter, in any packet or submission, resumes the macro.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    MACRO_CODE = 0x800,  /* words of the program store */
    MACRO_COUNT = 0x80,  /* numbers of macros */
    MACRO_REGISTERS = 8, /* r0 reads as 0 */
    /* limits, counted from the start or from the last parameter that was taken: */
    MACRO_LIMIT = 1 << 24, /* instructions */
    MACRO_WORK = 1 << 28   /* work that its methods asked for (struct macro_port) */
};

/* Methods of the macro processor. Macro n is started by method MACRO_START + 8n and gets its
 * parameters by MACRO_START + 8n + 4. */
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
    MACRO_SURPLUS,      /* a parameter came when no macro ran, and was dropped */
    MACRO_OUTSIDE,      /* the program counter left the store */
    MACRO_ILLEGAL,      /* an operation that does not exist */
    MACRO_ENDLESS,      /* MACRO_LIMIT was reached */
    MACRO_TOO_MUCH,     /* MACRO_WORK was reached */
    MACRO_NO_SUCH,      /* a number from MACRO_COUNT on */
    MACRO_BEYOND_STORE, /* an upload behind the store, dropped */
    MACRO_NESTED,       /* a macro was started, fed or uploaded by its own methods; ignored */
    MACRO_RESULTS
};

/* The whole state: plain data without pointers, which can be copied. All zero is the state after
 * reset. */
struct macro {
    uint32_t code[MACRO_CODE];
    uint32_t entry[MACRO_COUNT]; /* index in code[] */
    uint32_t upload;             /* index in code[] of the next uploaded word */
    uint32_t number;             /* number of the macro whose entry the next word sets */
    uint32_t reg[MACRO_REGISTERS];
    uint32_t pc, next;  /* indices in code[]: this instruction, the following one */
    uint32_t method;    /* 12 bits, in words: the method that the next sent word goes to */
    uint32_t increment; /* 6 bits, in words: added to method after each send */
    uint32_t steps;     /* instructions done, for MACRO_LIMIT */
    uint32_t fault;     /* pc of the last error */
    uint64_t work;      /* the port's work when counting for MACRO_WORK began */
    uint8_t state;      /* enum macro_state */
    bool carry;
    bool ending; /* the next instruction is the macro's last */
};
enum macro_state {
    MACRO_IDLE,
    MACRO_WAITING, /* before an instruction that takes a parameter */
    MACRO_RUNNING, /* only inside of a call of this file */
    MACRO_FAILED,  /* as idle, but parameters are dropped without MACRO_SURPLUS */
};

/* The engine behind the macro processor. Method addresses are in bytes, multiples of 4 below
 * 0x4000. `send` must not pass methods of the macro processor back to the macro processor: such
 * methods give MACRO_NESTED. */
struct macro_port {
    void *self;
    void (*send)(void *self, uint32_t method, uint32_t word);
    uint32_t (*read)(void *self, uint32_t method); /* the last value of any method */
    uint64_t (*work)(void *self); /* primitives so far, 1 more a draw; NULL: not counted */
};

/* Starts a macro with its first word in r1 and runs it until it ends or a parameter is missing. The
 * other registers, the carry and the method address begin as 0. A macro that still waits for a
 * parameter (MACRO_WAITING) is given up. After an error no macro runs; methods sent before the
 * error stay sent. */
enum macro_result macro_start(struct macro *m, const struct macro_port *port, uint32_t number,
                              uint32_t word);
/* Gives one parameter to the waiting macro and runs it on. */
enum macro_result macro_parameter(struct macro *m, const struct macro_port *port, uint32_t word);

/* Executes a method of the macro processor and sets *result. False, without an effect, for any
 * other method. */
bool macro_method(struct macro *m, const struct macro_port *port, uint32_t method, uint32_t word,
                  enum macro_result *result);

/* True for results that a caller should log: all but MACRO_DONE, MACRO_WAITS and MACRO_SURPLUS. */
static inline bool macro_is_error(enum macro_result result) {
    return result > MACRO_SURPLUS;
}
/* The text for the log, without a full stop. */
const char *macro_text(enum macro_result result);
