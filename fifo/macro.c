/* The macro processor's interpreter, between the pusher and the engine. An instruction is done
 * whole or not at all: one that needs a parameter waits, undone, until the parameter comes.
 */
#include "fifo/macro.h"

#include <stddef.h>

enum operation { ALU, ADD_IMMEDIATE, INSERT, EXTRACT, EXTRACT_SHIFT, READ, OPERATION_6, BRANCH };
enum alu { ADD, ADD_CARRY, SUBTRACT, SUBTRACT_BORROW, XOR = 8, OR, AND, AND_NOT, NAND };
/* The use of an instruction's result. D is the destination register. A word is sent to the new
 * method address. */
enum use {
    TAKE,           /* D := parameter */
    MOVE,           /* D := result */
    MOVE_ADDRESS,   /* method address := result, D := result */
    SEND_TAKE,      /* result sent, D := parameter */
    SEND_MOVE,      /* result sent, D := result */
    ADDRESS_TAKE,   /* method address := result, D := parameter */
    ADDRESS_SEND,   /* method address := result, D := result, parameter sent */
    ADDRESS_SEND_6, /* method address := result, D := result, bits 12:17 sent */
};

static uint32_t bits(uint32_t word, int first, int last) {
    return word >> first & (UINT32_C(0xffffffff) >> (31 - (last - first)));
}
static uint32_t immediate(uint32_t word) {
    return (uint32_t)((int32_t)word >> 14);
}

/* A bit field of value: `size` (0 to 31) bits from bit `from` on, moved to bit `to`. The result is
 * 0 if either position is above 31. */
static uint32_t field(uint32_t value, uint32_t from, uint32_t size, uint32_t to) {
    if (from > 31 || to > 31)
        return 0;
    return (value >> from & ((UINT32_C(1) << size) - 1)) << to;
}

static bool takes_parameter(uint32_t word) {
    static const uint8_t takes = 1 << TAKE | 1 << SEND_TAKE | 1 << ADDRESS_TAKE | 1 << ADDRESS_SEND;
    return bits(word, 0, 2) != BRANCH && takes >> bits(word, 4, 6) & 1;
}

static bool sends(uint32_t word) {
    static const uint8_t use =
        1 << SEND_TAKE | 1 << SEND_MOVE | 1 << ADDRESS_SEND | 1 << ADDRESS_SEND_6;
    return bits(word, 0, 2) != BRANCH && use >> bits(word, 4, 6) & 1;
}

/* Returns a + b + carry and sets the macro's carry. A subtraction adds ~b: a carry then means that
 * there was no borrow. */
static uint32_t add(struct macro *m, uint32_t a, uint32_t b, bool carry) {
    const uint64_t sum = (uint64_t)a + b + carry;
    m->carry = sum >> 32;
    return (uint32_t)sum;
}

static bool alu(struct macro *m, uint32_t word, uint32_t a, uint32_t b, uint32_t *result) {
    switch (bits(word, 17, 21)) {
    case ADD:
        *result = add(m, a, b, false);
        return true;
    case ADD_CARRY:
        *result = add(m, a, b, m->carry);
        return true;
    case SUBTRACT:
        *result = add(m, a, ~b, true);
        return true;
    case SUBTRACT_BORROW:
        *result = add(m, a, ~b, m->carry);
        return true;
    case XOR:
        *result = a ^ b;
        return true;
    case OR:
        *result = a | b;
        return true;
    case AND:
        *result = a & b;
        return true;
    case AND_NOT:
        *result = a & ~b;
        return true;
    case NAND:
        *result = ~(a & b);
        return true;
    default:
        return false;
    }
}

/* The result of any operation but a branch; false if the operation does not exist. */
static bool compute(struct macro *m, const struct macro_port *port, uint32_t word,
                    uint32_t *result) {
    const uint32_t a = m->reg[bits(word, 11, 13)], b = m->reg[bits(word, 14, 16)];
    const uint32_t from = bits(word, 17, 21), size = bits(word, 22, 26), to = bits(word, 27, 31);
    switch (bits(word, 0, 2)) {
    case ALU:
        return alu(m, word, a, b, result);
    case ADD_IMMEDIATE:
        *result = a + immediate(word);
        return true;
    case INSERT:
        *result = (a & ~field(UINT32_MAX, 0, size, to)) | field(b, from, size, to);
        return true;
    case EXTRACT:
        *result = field(b, a, size, to);
        return true;
    case EXTRACT_SHIFT:
        *result = field(b, from, size, a);
        return true;
    case READ:
        *result = port->read(port->self, ((a + immediate(word)) & 0xfff) * 4);
        return true;
    default:
        return false;
    }
}

static void set_address(struct macro *m, uint32_t result) {
    m->method = bits(result, 0, 11);
    m->increment = bits(result, 12, 17);
}

static void send(struct macro *m, const struct macro_port *port, uint32_t word) {
    const uint32_t method = m->method * 4;
    m->method = (m->method + m->increment) & 0xfff;
    port->send(port->self, method, word);
}

static void set_register(struct macro *m, uint32_t word, uint32_t value) {
    const uint32_t d = bits(word, 8, 10);
    m->reg[d] = d ? value : 0;
}

static void use_result(struct macro *m, const struct macro_port *port, uint32_t word,
                       uint32_t result, uint32_t parameter) {
    const enum use use = bits(word, 4, 6);
    const bool to_address = use == MOVE_ADDRESS || use >= ADDRESS_TAKE;
    if (to_address)
        set_address(m, result);
    const bool take = use == TAKE || use == SEND_TAKE || use == ADDRESS_TAKE;
    set_register(m, word, take ? parameter : result);
    if (use == SEND_TAKE || use == SEND_MOVE)
        send(m, port, result);
    else if (use == ADDRESS_SEND)
        send(m, port, parameter);
    else if (use == ADDRESS_SEND_6)
        send(m, port, bits(result, 12, 17));
}

/* Moves pc and next on by one instruction. A branch only changes `next`, so the instruction behind
 * the branch still runs before the target, unless the branch annuls it. Returns true if a branch is
 * taken. */
static bool advance(struct macro *m, uint32_t word) {
    const uint32_t here = m->pc;
    m->pc = m->next;
    m->next = m->pc + 1;
    if (bits(word, 0, 2) != BRANCH)
        return false;
    const bool zero = m->reg[bits(word, 11, 13)] == 0, if_not_zero = bits(word, 4, 4);
    if (zero == if_not_zero)
        return false;
    m->next = here + immediate(word);
    if (bits(word, 5, 5)) { /* annul: skip the instruction behind the branch */
        m->pc = m->next;
        m->next = m->pc + 1;
    }
    return true;
}

static enum macro_result fail(struct macro *m, enum macro_result why) {
    m->fault = m->pc;
    m->state = MACRO_FAILED;
    return why;
}

static uint64_t work_of(const struct macro_port *port) {
    return port->work ? port->work(port->self) : 0;
}

/* Runs the macro until it ends, fails, or needs a parameter that has not come. parameter: the next
 * parameter; NULL: none has come. */
static enum macro_result run(struct macro *m, const struct macro_port *port,
                             const uint32_t *parameter) {
    m->state = MACRO_RUNNING;
    for (;;) {
        if (m->pc >= MACRO_CODE)
            return fail(m, MACRO_OUTSIDE);
        const uint32_t word = m->code[m->pc];
        const bool takes = takes_parameter(word), last = m->ending;
        if (takes && !parameter) {
            m->state = MACRO_WAITING;
            return MACRO_WAITS;
        }
        if (m->steps++ >= MACRO_LIMIT)
            return fail(m, MACRO_ENDLESS);
        if (bits(word, 0, 2) != BRANCH) {
            uint32_t result;
            if (!compute(m, port, word, &result))
                return fail(m, MACRO_ILLEGAL);
            use_result(m, port, word, result, takes ? *parameter : 0);
            if (sends(word) && work_of(port) - m->work > MACRO_WORK)
                return fail(m, MACRO_TOO_MUCH);
        }
        if (takes) {
            parameter = NULL;
            m->steps = 0;
            m->work = work_of(port);
        }
        const bool taken = advance(m, word);
        m->ending = bits(word, 7, 7) && !taken;
        if (last) {
            m->state = MACRO_IDLE;
            return MACRO_DONE;
        }
    }
}

enum macro_result macro_start(struct macro *m, const struct macro_port *port, uint32_t number,
                              uint32_t word) {
    if (m->state == MACRO_RUNNING)
        return MACRO_NESTED;
    m->state = MACRO_IDLE;
    if (number >= MACRO_COUNT) {
        m->state = MACRO_FAILED;
        return MACRO_NO_SUCH;
    }
    for (int i = 0; i < MACRO_REGISTERS; i++)
        m->reg[i] = 0;
    m->reg[1] = word;
    m->pc = m->entry[number];
    m->next = m->pc + 1;
    m->method = m->increment = m->steps = 0;
    m->carry = m->ending = false;
    m->work = work_of(port);
    return run(m, port, NULL);
}

enum macro_result macro_parameter(struct macro *m, const struct macro_port *port, uint32_t word) {
    switch (m->state) {
    case MACRO_WAITING:
        return run(m, port, &word);
    case MACRO_RUNNING:
        return MACRO_NESTED;
    case MACRO_IDLE:
        return MACRO_SURPLUS;
    default:
        return MACRO_DONE;
    }
}

/* Executes an upload method. A word is stored at the upload position, which advances; an entry is
 * stored for the current macro number, which advances. */
static enum macro_result upload_word(struct macro *m, uint32_t method, uint32_t word) {
    switch (method) {
    case MACRO_UPLOAD_POSITION:
        m->upload = word;
        break;
    case MACRO_UPLOAD_WORD:
        if (m->upload >= MACRO_CODE)
            return MACRO_BEYOND_STORE;
        m->code[m->upload++] = word;
        break;
    case MACRO_NUMBER:
        m->number = word;
        break;
    default: /* MACRO_ENTRY */
        if (m->number >= MACRO_COUNT)
            return MACRO_NO_SUCH;
        m->entry[m->number++] = word;
    }
    return MACRO_DONE;
}

bool macro_method(struct macro *m, const struct macro_port *port, uint32_t method, uint32_t word,
                  enum macro_result *result) {
    const bool upload = method >= MACRO_UPLOAD_POSITION && method <= MACRO_ENTRY;
    if (!upload && method < MACRO_START)
        return false;
    *result = MACRO_DONE;
    if (m->state == MACRO_RUNNING)
        *result = MACRO_NESTED;
    else if (upload)
        *result = upload_word(m, method, word);
    else if (method & 4)
        *result = macro_parameter(m, port, word);
    else
        *result = macro_start(m, port, (method - MACRO_START) / 8, word);
    return true;
}

const char *macro_text(enum macro_result result) {
    static const char *const text[MACRO_RESULTS] = {
        [MACRO_DONE] = "no macro runs",
        [MACRO_WAITS] = "the macro waits for a parameter",
        [MACRO_SURPLUS] = "a parameter without a macro is dropped",
        [MACRO_OUTSIDE] = "the macro leaves the program store",
        [MACRO_ILLEGAL] = "the macro has an illegal instruction",
        [MACRO_ENDLESS] = "the macro does not end",
        [MACRO_TOO_MUCH] = "the macro draws without end",
        [MACRO_NO_SUCH] = "there is no macro of this number",
        [MACRO_BEYOND_STORE] = "the macro does not fit into the program store",
        [MACRO_NESTED] = "a macro cannot use the macro processor",
    };
    return (unsigned)result < MACRO_RESULTS ? text[result] : "unknown";
}
