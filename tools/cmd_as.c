/* `teslapipe as`: assembly text to machine code. In: a text file, or a vector file. Out: a file of
 * raw little-endian words. Exit code 0 fine, 1 failed, 2 usage.
 */
#include "shader/isa/isa.h"
#include "shader/program.h"
#include "tools/isa_options.h"
#include "tools/tool.h"

#include <stdlib.h>
#include <string.h>

int cmd_as(int argc, char **argv);

/* Header directives are checked, but a .bin file has no place for them. */
static int assemble_file(const struct command *command, const struct isa_options *options,
                         const char *path) {
    size_t length;
    uint8_t *text = read_whole_file(command, path, &length);
    if (!text)
        return EXIT_FAILED;
    struct program_header header = {0};
    struct asm_result code;
    char message[512];
    int failed = isa_assemble(options->target, (const char *)text, length, path, &header, &code,
                              message, sizeof message);
    free(text);
    if (failed) {
        fprintf(stderr, "%s\n", message);
        return EXIT_FAILED;
    }
    int result = write_whole_file(command, options->output, code.words, code.count * 4);
    asm_result_free(&code);
    return result;
}

int cmd_as(int argc, char **argv) {
    struct isa_options isa = {0};
    const struct option_spec options[] = {
        ISA_OPTION_SPECS(isa),
        {"-o", "OUT.bin", OPTION_TEXT, &isa.output, "where to write the words"},
        {0},
    };
    const struct command command = {"as", "-m CHIP -t TYPE FILE -o OUT.bin | --vectors FILE",
                                    "Assembles text in the envyas g80 syntax (docs/programs.md) to "
                                    "raw little-endian words. Or checks\n"
                                    "the assembler against a vector file.",
                                    options};
    int exit_code;
    int count = command_parse(&command, argc, argv, &exit_code);
    if (count < 0)
        return exit_code;
    if (isa.vectors)
        return count ? command_usage(&command, "--vectors takes no other file")
                     : check_vectors(&command, isa.vectors, ISA_ASSEMBLE);
    if (count != 1 || !isa.output)
        return command_usage(&command, "give one text file and -o OUT.bin (see --help)");
    if (!resolve_isa_target(&command, &isa, argv[1]))
        return EXIT_USAGE;
    return assemble_file(&command, &isa, argv[1]);
}
