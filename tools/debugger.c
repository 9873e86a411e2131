/* The debugger's commands, similar to gdb's, from a script or a terminal (libedit). In: a stepper
 * with its warp. Out: calls of debugger_show.c, which prints. Each command is a row of a table.
 */
#include "tools/debugger.h"

#include <editline/readline.h>
#include <stdlib.h>
#include <unistd.h>

enum outcome { STAY, WRONG, LEAVE, NEXT };
enum { STEP_LIMIT = 50000000 }; /* instructions that one `continue` may take */

struct command_row {
    const char *name, *alias, *arguments, *help;
    enum outcome (*run)(struct debugger *d, const char *text);
};

static enum outcome tell_wrong(const char *what, const char *text) {
    fprintf(stderr, "%s: %s\n", text[0] ? text : "(nothing)", what);
    return WRONG;
}

/* Parses a count; "" leaves *count as it is. Returns false if the text is no number. */
static bool parse_count(const char *text, uint64_t *count) {
    char *end;
    if (!*text)
        return true;
    if (*text < '0' || *text > '9')
        return false;
    *count = strtoull(text, &end, 0);
    return *end == '\0';
}

static bool parse_address(const char *text, uint32_t *address) {
    uint64_t n = 0;
    if (!*text || !parse_count(text + (*text == '*'), &n))
        return false;
    *address = (uint32_t)n;
    return n <= UINT32_MAX;
}

/* ---- running ---- */

static bool lane_is_active(const struct debugger *d) {
    return stepper_warp(d->stepper)->active >> d->lane & 1;
}

/* Returns the breakpoint that applies here, or whose watched place has changed; NULL: none. */
static const struct breakpoint *stopped_by(struct debugger *d) {
    const struct warp *w = stepper_warp(d->stepper);
    const uint32_t i = program_word(d->program, w->pc);
    const struct op *op = i < d->program->word_count ? &d->program->ops[i] : NULL;
    const struct breakpoint *hit = NULL;
    for (int n = 0; n < MAX_BREAKPOINTS; n++) {
        struct breakpoint *b = &d->breakpoint[n];
        uint32_t now;
        if (!b->number)
            continue;
        if (b->kind == BREAK_WATCH) {
            if (place_read(d->stepper, &b->place, b->lane, &now) && now != b->value) {
                b->value = now;
                hit = b;
            }
        } else if (lane_is_active(d) && stepper_status(d->stepper) == WARP_RUNNING) {
            if (b->kind == BREAK_ADDRESS ? b->address == w->pc : op && op->code == b->opcode)
                hit = b;
        }
    }
    return hit;
}

static void note_watched(struct debugger *d) {
    for (int n = 0; n < MAX_BREAKPOINTS; n++) {
        struct breakpoint *b = &d->breakpoint[n];
        if (b->number && b->kind == BREAK_WATCH)
            place_read(d->stepper, &b->place, b->lane, &b->value);
    }
}

static void tell_stop(const struct debugger *d, const struct breakpoint *b) {
    char name[32];
    if (b->kind != BREAK_WATCH) {
        printf("breakpoint %d\n", b->number);
        return;
    }
    place_name(&b->place, name, sizeof name);
    printf("watchpoint %d: %s in lane %u is now ", b->number, name, b->lane);
    print_word(stdout, b->value, 0);
    putchar('\n');
    (void)d;
}

/* Steps until `done`, a breakpoint, or the end. */
static enum outcome run_until(struct debugger *d, bool (*done)(const struct debugger *, uint64_t),
                              uint64_t argument) {
    const struct breakpoint *b = NULL;
    note_watched(d);
    for (uint64_t n = 0; n < STEP_LIMIT; n++) {
        const enum warp_status status = stepper_step(d->stepper);
        b = stopped_by(d);
        if (b || status != WARP_RUNNING || (done && done(d, argument)))
            break;
        if (n + 1 == STEP_LIMIT)
            printf("stopped after %d instructions\n", STEP_LIMIT);
    }
    if (b)
        tell_stop(d, b);
    show_here(d);
    return STAY;
}

static enum outcome cmd_step(struct debugger *d, const char *text) {
    static struct warp before;
    uint64_t count = 1;
    if (!parse_count(text, &count))
        return tell_wrong("must be a number of instructions", text);
    for (uint64_t i = 0; i < count && stepper_status(d->stepper) == WARP_RUNNING; i++) {
        before = *stepper_warp(d->stepper);
        stepper_step(d->stepper);
    }
    if (count)
        show_changes(d, &before);
    show_here(d);
    return STAY;
}

static bool call_is_over(const struct debugger *d, uint64_t depth) {
    return stepper_warp(d->stepper)->stack_top <= depth;
}

static enum outcome cmd_next(struct debugger *d, const char *text) {
    uint64_t count = 1;
    if (!parse_count(text, &count))
        return tell_wrong("must be a number of instructions", text);
    for (uint64_t i = 0; i < count; i++) {
        const struct warp *w = stepper_warp(d->stepper);
        const uint32_t at = program_word(d->program, w->pc);
        const uint64_t depth = w->stack_top;
        const bool call = at < d->program->word_count && d->program->ops[at].code == OP_CALL;
        if (call)
            run_until(d, call_is_over, depth);
        else
            cmd_step(d, "");
    }
    return STAY;
}

static enum outcome cmd_finish(struct debugger *d, const char *) {
    const struct warp *w = stepper_warp(d->stepper);
    for (uint32_t i = w->stack_top; i-- > 0;)
        if (w->stack[i].type == STACK_CALL || w->stack[i].type == STACK_CALL_LIM)
            return run_until(d, call_is_over, i);
    return run_until(d, NULL, 0);
}

static bool is_reached(const struct debugger *d, uint64_t address) {
    return stepper_warp(d->stepper)->pc == address && lane_is_active(d);
}

static enum outcome cmd_until(struct debugger *d, const char *text) {
    uint32_t address;
    if (!parse_address(text, &address))
        return tell_wrong("must be an address, as in `until 0x40`", text);
    return run_until(d, is_reached, address);
}

static enum outcome cmd_continue(struct debugger *d, const char *) {
    return run_until(d, NULL, 0);
}

static enum outcome cmd_back(struct debugger *d, const char *text) {
    uint64_t count = 1;
    const uint64_t now = stepper_count(d->stepper);
    if (!parse_count(text, &count))
        return tell_wrong("must be a number of instructions", text);
    if (!now)
        printf("this is the start\n");
    stepper_goto(d->stepper, count < now ? now - count : 0);
    show_here(d);
    return STAY;
}

/* Goes back to the last breakpoint before the current instruction. Runs from the start twice: to
 * find the breakpoint, then to stop there. */
static enum outcome cmd_reverse_continue(struct debugger *d, const char *) {
    const uint64_t now = stepper_count(d->stepper);
    uint64_t last = 0;
    stepper_goto(d->stepper, 0);
    note_watched(d);
    while (stepper_count(d->stepper) + 1 < now) {
        stepper_step(d->stepper);
        if (stopped_by(d))
            last = stepper_count(d->stepper);
    }
    stepper_goto(d->stepper, last);
    if (!last)
        printf("this is the start\n");
    show_here(d);
    return STAY;
}

static enum outcome cmd_run(struct debugger *d, const char *) {
    stepper_goto(d->stepper, 0);
    show_here(d);
    return STAY;
}

/* ---- breakpoints ---- */

static struct breakpoint *new_breakpoint(struct debugger *d) {
    for (int i = 0; i < MAX_BREAKPOINTS; i++)
        if (!d->breakpoint[i].number) {
            d->breakpoint[i] = (struct breakpoint){.number = ++d->breakpoints};
            return &d->breakpoint[i];
        }
    return NULL;
}

static int find_opcode(const char *text) {
    for (int i = 0; i < OPCODES; i++)
        if (strcmp(opcode_name((enum opcode)i), text) == 0)
            return i;
    return -1;
}

static enum outcome cmd_break(struct debugger *d, const char *text) {
    uint32_t address = stepper_warp(d->stepper)->pc;
    const int opcode = find_opcode(text);
    if (*text && opcode < 0 && !parse_address(text, &address))
        return tell_wrong("must be an address (0x40) or an operation (fmad, texauto, discard ...)",
                          text);
    struct breakpoint *b = new_breakpoint(d);
    if (!b)
        return tell_wrong("there are too many breakpoints", text);
    b->kind = opcode >= 0 ? BREAK_OPCODE : BREAK_ADDRESS;
    b->address = address;
    b->opcode = (uint8_t)opcode;
    if (opcode >= 0)
        printf("breakpoint %d on %s\n", b->number, text);
    else
        printf("breakpoint %d at 0x%06x\n", b->number, address);
    return STAY;
}

static enum outcome cmd_watch(struct debugger *d, const char *text) {
    struct place p;
    const char *end;
    uint32_t value;
    if (!place_parse(text, &p, &end) || *end)
        return tell_wrong("$r5, $c0, l[0x10], o[0], g0[0x100] and the like can be watched", text);
    if (!place_read(d->stepper, &p, d->lane, &value))
        return tell_wrong("this program has no such place", text);
    struct breakpoint *b = new_breakpoint(d);
    if (!b)
        return tell_wrong("there are too many breakpoints", text);
    b->kind = BREAK_WATCH;
    b->place = p;
    b->lane = d->lane;
    b->value = value;
    printf("watchpoint %d: %s in lane %u\n", b->number, text, d->lane);
    return STAY;
}

static enum outcome cmd_delete(struct debugger *d, const char *text) {
    uint64_t number = 0;
    bool found = !*text;
    if (!parse_count(text, &number))
        return tell_wrong("must be the number of a breakpoint", text);
    for (int i = 0; i < MAX_BREAKPOINTS; i++)
        if (!*text || d->breakpoint[i].number == (int)number) {
            found |= d->breakpoint[i].number != 0;
            d->breakpoint[i].number = 0;
        }
    return found ? STAY : tell_wrong("there is no such breakpoint", text);
}

static void list_breakpoints(const struct debugger *d) {
    for (int i = 0; i < MAX_BREAKPOINTS; i++) {
        const struct breakpoint *b = &d->breakpoint[i];
        char name[32];
        if (!b->number)
            continue;
        place_name(&b->place, name, sizeof name);
        if (b->kind == BREAK_ADDRESS)
            printf("%d: at 0x%06x\n", b->number, b->address);
        else if (b->kind == BREAK_OPCODE)
            printf("%d: on %s\n", b->number, opcode_name((enum opcode)b->opcode));
        else
            printf("%d: watches %s in lane %u\n", b->number, name, b->lane);
    }
}

/* ---- looking ---- */

/* Parses a leading "/x" and moves *text behind it. Returns the format, or 0. */
static char take_format(const char **text) {
    char format = 0;
    if (**text == '/') {
        format = (*text)[1];
        *text += format ? 2 : 1;
        *text += strspn(*text, " ");
    }
    return format;
}

static enum outcome cmd_print(struct debugger *d, const char *text) {
    struct place p;
    const char *end;
    const char format = take_format(&text);
    if (!place_parse(text, &p, &end) || (*end && strcmp(end, " quad") != 0 && strcmp(end, " all")))
        return tell_wrong(
            "$r5, $a1, $c0, o[0], l[0x10], c0[0x20] ...; with `quad` or `all` behind it", text);
    const unsigned lane = d->lane, quad = lane & ~3u;
    const unsigned first = !*end ? lane : end[1] == 'q' ? quad : 0;
    const unsigned last = !*end ? lane : end[1] == 'q' ? quad + 3 : LANES - 1;
    for (unsigned i = first; i <= last; i++) {
        d->lane = i;
        if (first != last)
            printf("lane %2u: ", i);
        show_place(d, &p, format);
    }
    d->lane = lane;
    return STAY;
}

static enum outcome cmd_examine(struct debugger *d, const char *text) {
    uint64_t count = 1, address = 0;
    char format = 0;
    if (*text == '/') {
        char *end;
        count = strtoull(text + 1, &end, 10);
        count = count ? count : 1;
        format = *end && *end != ' ' ? *end++ : 0;
        text = end + strspn(end, " ");
    }
    if (!*text || !parse_count(text, &address) || count > 4096)
        return tell_wrong("must be a GPU address, as in `x/16f 0x20000100`", text);
    show_memory(d, address, (int)count, format);
    return STAY;
}

static enum outcome cmd_disassemble(struct debugger *d, const char *text) {
    uint32_t address = stepper_warp(d->stepper)->pc;
    if (*text && !parse_address(text, &address))
        return tell_wrong("must be an address", text);
    show_code(d, address, *text ? 16 : 10);
    return STAY;
}

static enum outcome cmd_list(struct debugger *d, const char *text) {
    const uint32_t pc = stepper_warp(d->stepper)->pc;
    if (show_source(d, pc, strcmp(text, "all") == 0 ? 0 : 5))
        return STAY;
    show_code(d, d->program->base, (int)d->program->word_count);
    return STAY;
}

static enum outcome cmd_glsl(struct debugger *d, const char *text) {
    if (*text)
        return tell_wrong(
            "no argument: the driver does not say to which lines an instruction belongs", text);
    if (!show_glsl(d))
        printf("no GLSL is known: teslapipe gl --record FILE --keep-source keeps it\n");
    return STAY;
}

static enum outcome cmd_lane(struct debugger *d, const char *text) {
    uint64_t n = d->lane;
    if (!parse_count(text, &n) || n >= LANES)
        return tell_wrong("must be a lane from 0 to 31", text);
    d->lane = (unsigned)n;
    show_here(d);
    return STAY;
}

static enum outcome cmd_quad(struct debugger *d, const char *text) {
    uint64_t n = d->lane / 4;
    if (!parse_count(text, &n) || n >= LANES / 4)
        return tell_wrong("must be a quad from 0 to 7", text);
    d->lane = (unsigned)n * 4;
    show_here(d);
    return STAY;
}

static enum outcome cmd_info(struct debugger *d, const char *text) {
    static const struct {
        const char *name;
        void (*show)(const struct debugger *);
    } topics[] = {{"registers", show_registers}, {"lanes", show_lanes},
                  {"stack", show_stack},         {"result", show_result},
                  {"program", show_program},     {"breakpoints", list_breakpoints},
                  {"state", show_state},         {"textures", show_textures},
                  {"targets", show_targets},     {"draws", show_draws}};
    for (size_t i = 0; *text && i < sizeof topics / sizeof *topics; i++)
        if (strncmp(topics[i].name, text, strlen(text)) == 0) {
            topics[i].show(d);
            return STAY;
        }
    return tell_wrong(
        "registers, lanes, stack, result, program, breakpoints, state, textures, targets or "
        "draws",
        text);
}

/* ---- changing ---- */

/* Handles "$r5 = 1.5" and "$r5 1.5 all". */
static enum outcome cmd_set(struct debugger *d, const char *text) {
    struct place p;
    const char *at;
    char value[32], whom[8] = "";
    uint32_t word;
    if (!place_parse(text, &p, &at))
        return tell_wrong("as in `set $r5 = 1.5`, with `quad` or `all` behind it", text);
    at += strspn(at, " =");
    if (sscanf(at, "%31s %7s", value, whom) < 1 || !word_parse(value, &word) ||
        (*whom && strcmp(whom, "quad") != 0 && strcmp(whom, "all") != 0))
        return tell_wrong("as in `set $r5 = 1.5`, with `quad` or `all` behind it", text);
    const lane_mask m = !*whom ? 1u << d->lane : *whom == 'q' ? 15u << (d->lane & ~3u) : LANES_ALL;
    if (!place_write(d->stepper, &p, m, word))
        return tell_wrong("this program has no such place, or it cannot be changed", text);
    show_place(d, &p, 0);
    return STAY;
}

static enum outcome cmd_hit(struct debugger *, const char *) {
    return NEXT;
}

static enum outcome cmd_quit(struct debugger *, const char *) {
    return LEAVE;
}

static enum outcome cmd_help(struct debugger *d, const char *text);

static const struct command_row commands[] = {
    {"step", "s", "[N]", "execute one instruction (or N)", cmd_step},
    {"next", "n", "[N]", "as step, but a call is one step", cmd_next},
    {"back", "reverse-step", "[N]", "one instruction (or N) backwards", cmd_back},
    {"continue", "c", "", "to the next breakpoint or the end", cmd_continue},
    {"reverse-continue", "rc", "", "back to the breakpoint before", cmd_reverse_continue},
    {"until", "u", "ADDRESS", "to an address", cmd_until},
    {"finish", "fin", "", "to the end of this call", cmd_finish},
    {"run", "r", "", "to the start", cmd_run},
    {"break", "b", "[ADDRESS|OPERATION]", "stop at this place when the lane is active", cmd_break},
    {"watch", "w", "PLACE", "stop when this place changes in this lane", cmd_watch},
    {"delete", "d", "[N]", "delete breakpoint N, or all", cmd_delete},
    {"print", "p", "[/xduf] PLACE [quad|all]", "$r5 $a1 $c0 $p0 v[] o[] l[] a[] c0[] g0[] s[] p[]",
     cmd_print},
    {"x", "x", "[/COUNT[xduf]] ADDRESS", "GPU memory", cmd_examine},
    {"set", "set", "PLACE = VALUE [quad|all]", "try another value", cmd_set},
    {"disas", "dis", "[ADDRESS]", "instructions from here on", cmd_disassemble},
    {"list", "l", "[all]", "the source around here, or the whole program", cmd_list},
    {"glsl", "glsl", "", "the GLSL of the program, if the recording has it", cmd_glsl},
    {"lane", "lane", "N", "look at another lane", cmd_lane},
    {"info", "i", "TOPIC",
     "registers lanes stack result program breakpoints state textures targets draws", cmd_info},
    {"quad", "quad", "N", "look at the upper left lane of a quad, 0 to 7", cmd_quad},
    {"hit", "hit", "", "go on to the next warp that was asked for", cmd_hit},
    {"help", "h", "", "this list", cmd_help},
    {"quit", "q", "", "leave", cmd_quit},
};
enum { COMMANDS = sizeof commands / sizeof *commands };

static enum outcome cmd_help(struct debugger *, const char *) {
    for (int i = 0; i < COMMANDS; i++)
        printf("%-17s%-5s %-26s %s\n", commands[i].name,
               strcmp(commands[i].name, commands[i].alias) ? commands[i].alias : "",
               commands[i].arguments, commands[i].help);
    return STAY;
}

/* Finds a command by alias, by name, or by the unique beginning of a name. */
static const struct command_row *find_command(const char *name, size_t length) {
    const struct command_row *found = NULL;
    for (int i = 0; i < COMMANDS; i++) {
        const struct command_row *c = &commands[i];
        if ((strlen(c->alias) == length && strncmp(c->alias, name, length) == 0) ||
            (strlen(c->name) == length && strncmp(c->name, name, length) == 0))
            return c;
    }
    for (int i = 0; i < COMMANDS; i++)
        if (strncmp(commands[i].name, name, length) == 0) {
            if (found)
                return NULL;
            found = &commands[i];
        }
    return found;
}

static enum outcome obey_line(struct debugger *d, char *line) {
    line += strspn(line, " \t");
    line[strcspn(line, "#\r\n")] = '\0';
    for (size_t n = strlen(line); n && line[n - 1] == ' '; n--)
        line[n - 1] = '\0';
    const size_t length = strcspn(line, " /");
    if (!*line)
        return STAY;
    const struct command_row *c = find_command(line, length);
    if (!c)
        return tell_wrong("no command, or more than one, begins like this (see help)", line);
    return c->run(d, line + length + strspn(line + length, " "));
}

/* ---- input ---- */

/* Returns the next line, malloc'd; NULL at the end. */
static char *read_command(struct debugger_input *in) {
    char *line = NULL;
    size_t size = 0;
    if (in->script) {
        if (getline(&line, &size, in->script) >= 0)
            return line;
        free(line);
        if (in->script != stdin)
            fclose(in->script);
        in->script = NULL;
        line = NULL;
    }
    if (in->batch)
        return NULL;
    if (!isatty(STDIN_FILENO)) {
        size = 0;
        if (getline(&line, &size, stdin) >= 0)
            return line;
        free(line);
        return NULL;
    }
    line = readline("(teslapipe) ");
    if (line && *line)
        add_history(line);
    return line;
}

void debugger_input_close(struct debugger_input *input) {
    if (input->script && input->script != stdin)
        fclose(input->script);
    input->script = NULL;
    free(input->text);
    input->text = NULL;
}

enum debugger_end debugger_run(struct debugger *d) {
    static char last[1024];
    printf("%s: lane %u of %s\n", d->subject, d->lane, d->program->name);
    show_here(d);
    for (;;) {
        char *line = read_command(d->input);
        if (!line)
            return DEBUGGER_QUIT;
        if (*line && *line != '\n')
            snprintf(last, sizeof last, "%s", line);
        else if (isatty(STDIN_FILENO) && !d->input->script) /* repeats the last command */
            line = (free(line), strdup(last));
        const enum outcome outcome = line ? obey_line(d, line) : LEAVE;
        free(line);
        fflush(stdout);
        d->failed |= outcome == WRONG;
        if (outcome == LEAVE || outcome == NEXT)
            return outcome == LEAVE ? DEBUGGER_QUIT : DEBUGGER_NEXT_HIT;
    }
}
