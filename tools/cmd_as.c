/* `teslapipe as`: assembly text to machine code. In: a text file, or a vector file. Out: raw
 * little-endian words, or the words as text. Exit code 0 fine, 1 failed, 2 usage.
 */
#include "tools/isa_options.h"

#include <stdlib.h>
#include <unistd.h>

static void print_mistake(void *, const char *message) {
    fprintf(stderr, "%s\n", message);
}

/* Writes words as text that `dis` can read, a line for each instruction. */
static int write_hex(const struct command *command, const struct isa_options *options,
                     const struct asm_result *code) {
    char *text = NULL;
    size_t size = 0;
    FILE *to = open_memstream(&text, &size);
    if (!to)
        return command_failed(command, "out of memory");
    for (size_t i = 0; i < code->count;) {
        struct op op;
        isa_decode(options->target, code->words + i, code->count - i, code->base + 4 * (uint32_t)i,
                   &op);
        fprintf(to, "0x%08x", code->words[i]);
        if (op.words == 2)
            fprintf(to, " 0x%08x", code->words[i + 1]);
        fputc('\n', to);
        i += op.words;
    }
    const int result = fclose(to) == 0 ? write_whole_file(command, options->output, text, size)
                                       : command_failed(command, "out of memory");
    free(text);
    return result;
}

/* Header directives are checked and then dropped: a .bin file has no place for them. */
static int assemble_file(const struct command *command, const struct isa_options *options,
                         const char *path, bool hex) {
    size_t length;
    char *text = read_whole_text(command, path, &length);
    if (!text)
        return EXIT_FAILED;
    struct program_header header = {0};
    struct asm_result code;
    char message[512];
    const struct isa_source source = {.text = text,
                                      .length = length,
                                      .name = strcmp(path, "-") ? path : "standard input",
                                      .is_file = true,
                                      .report = print_mistake};
    const int failed =
        isa_assemble_source(options->target, &source, &header, &code, message, sizeof message);
    free(text);
    if (failed)
        return EXIT_FAILED;
    const int result = hex ? write_hex(command, options, &code)
                           : write_whole_file(command, options->output, code.words, code.count * 4);
    asm_result_free(&code);
    return result;
}

/* Prints the chips that have the instruction. */
static int no_instruction(const struct command *command, struct isa_target target,
                          const char *name) {
    const char *const chip = isa_variant_name(target.variant);
    char others[64] = "";
    FILE *nothing = fopen("/dev/null", "w");
    for (unsigned v = 0; nothing && v < ISA_VARIANTS; v++) {
        const size_t used = strlen(others);
        target.variant = (enum isa_variant)v;
        if (isa_explain_name(target, name, nothing))
            snprintf(others + used, sizeof others - used, " %s", isa_variant_name(target.variant));
    }
    if (nothing)
        fclose(nothing);
    if (*others)
        return command_failed(command,
                              "%s has no instruction named %s; -m chooses a chip with it:%s", chip,
                              name, others);
    return command_failed(command,
                          "%s has no instruction named %s (teslapipe as -m %s --explain list shows "
                          "all; -m chooses the set)",
                          chip, name, chip);
}

/* Prints the sentence for an instruction of the chip's set; for "list", those of all
 * instructions. */
static int explain(const struct command *command, const struct isa_options *options,
                   const char *name) {
    if (strcmp(name, "list") == 0) {
        isa_explain_set(options->target, stdout);
        return EXIT_FINE;
    }
    if (isa_explain_name(options->target, name, stdout))
        return EXIT_FINE;
    return no_instruction(command, options->target, name);
}

COMMAND(as) {
    struct isa_options isa = {0};
    bool hex = false;
    const char *explained = NULL;
    const struct option_spec options[] = {
        ISA_OPTION_SPECS(isa),
        {"-o", "OUT.bin", OPTION_TEXT, &isa.output,
         "where to write the words (default: standard output)"},
        {"--hex", NULL, OPTION_FLAG, &hex,
         "words as text, 0x80000000 0x90000000 (default on a terminal)"},
        {"--explain", "NAME", OPTION_TEXT, &explained,
         "what the instructions NAME do, and their forms; list: all instructions"},
        {0},
    };
    const struct command command = {
        "as",
        "-m CHIP -t TYPE [FILE] [-o OUT.bin] | -m CHIP --explain NAME | --vectors FILE",
        "Assembles text, in the syntax of envyas (docs/programs.md) or -s, to raw little-endian\n"
        "words, and prints every mistake. Without FILE, or with -, reads standard input. Or\n"
        "checks the assembler against a vector file.",
        options,
        "teslapipe as wave.vp -o wave.vp.bin\n"
        "teslapipe as -m gf100 --explain ext\n"
        "echo 'add b32 $r0 $r1 $r2' | teslapipe as -t cp",
    };
    COMMAND_PARSE(exit_code, count);
    if (isa.output && (isa.vectors || explained))
        return command_usage(&command, "-o goes without %s", explained ? "--explain" : "--vectors");
    if (count && explained)
        return command_usage(&command, "--explain takes no file");
    if (isa.vectors)
        return count ? command_usage(&command, "--vectors takes no other file")
                     : check_vectors(&command, isa.vectors, ISA_ASSEMBLE);
    if (count > 1)
        return command_usage(&command, "give one text file (see --help)");
    if (explained)
        return resolve_isa_target(&command, &isa, "x.cp") ? explain(&command, &isa, explained)
                                                          : EXIT_USAGE;
    const char *const path = count ? argv[1] : "-";
    if (!resolve_isa_target(&command, &isa, path))
        return EXIT_USAGE;
    return assemble_file(&command, &isa, path, hex || (!isa.output && isatty(STDOUT_FILENO)));
}
