/* Options for chip and program type, vector files, files with programs: for as, dis, trace, bench.
 * Messages go to stderr.
 */
#pragma once

#include "shader/isa/isa.h"
#include "shader/program.h"
#include "tools/tool.h"

struct isa_options {
    const char *chip, *type, *syntax, *output, *vectors;
    struct isa_target target; /* after resolve_isa_target */
};

/* The options that choose the target, for commands that take programs in files. */
#define ISA_TARGET_SPECS(o)                                                                        \
    {"-m", "CHIP", OPTION_CHIP, &(o).chip,                                                         \
     "g80, g84, g200, mcp77, gt215 (default); gf100 (sm_20, sm_21), gk104 (sm_30); g64"},          \
        {"-t", "TYPE", OPTION_STAGE, &(o).type,                                                    \
         "vp, tcp, tep, gp, fp or cp (default: the file's extension, as in x.vp or x.vp.bin)"}
#define ISA_OPTION_SPECS(o)                                                                        \
    ISA_TARGET_SPECS(o),                                                                           \
        {"-s", "SYNTAX", OPTION_SYNTAX, &(o).syntax,                                               \
         "how Fermi is written: envyas (default) or asfermi"},                                     \
        {"--vectors", "FILE", OPTION_TEXT, &(o).vectors,                                           \
         "check each line of words and text (shader/isa/isa.h lists the formats)"}

/* Fills options->target from the options and the file name. Returns false after a message. */
bool resolve_isa_target(const struct command *command, struct isa_options *options,
                        const char *path);
/* Makes a program from a file with the program's text or, if `raw`, with raw words of the target's
 * type. Returns NULL after a message. */
struct program *load_program(const struct command *command, struct isa_target target,
                             const char *path, bool raw);
/* Prints the lines that fail, and two counts. Returns an exit code. */
int check_vectors(const struct command *command, const char *path, enum isa_direction direction);
