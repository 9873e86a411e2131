/* `teslapipe dis`: machine code to text. In: a file of raw little-endian words, or a vector file.
 * Out: text that assembles back to the same bytes, or a listing with addresses. Exit code 0 fine, 1
 * failed, 2 usage.
 */
#include "tools/isa_options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>

/* Returns true for text of words. Such text begins, after blanks, with 0x (envydis) or with eight
 * hexadecimal digits (nouveau's dumps). */
static bool is_hex_text(const uint8_t *bytes, size_t size) {
    const char *const text = (const char *)bytes; /* ends in a 0 */
    if (memchr(text, 0, size))
        return false;
    const char *const first = text + strspn(text, " \t\r\n");
    return strncmp(first, "0x", 2) == 0 ||
           (strspn(first, "0123456789abcdefABCDEF") == 8 && strchr(" \t\r\n,;", first[8]));
}

/* Returns the words of a text like "0x80000000 0x90000000" or "0x80000000, ...", malloc'd; NULL
 * after a message. Comments begin with # or //. */
static uint8_t *words_of_text(const struct command *command, const char *path, const char *text,
                              size_t *size) {
    uint32_t *const words = malloc(2 * *size); /* a word and a blank are at least two characters */
    size_t count = 0;
    unsigned line = 1;
    for (const char *p = text; words && *p;) {
        if (strchr(" \t\r\n,;", *p)) {
            line += *p++ == '\n';
        } else if (*p == '#' || strncmp(p, "//", 2) == 0) {
            p += strcspn(p, "\n");
        } else {
            char *end;
            const unsigned long long word = strtoull(p, &end, 16);
            const size_t length = strcspn(p, " \t\r\n,;");
            if (!isxdigit((unsigned char)*p) || end != p + length || word > UINT32_MAX) {
                command_failed(command, "%s:%u: %.*s%s is not a word such as 0x80000000", path,
                               line, length < 40 ? (int)length : 40, p, length < 40 ? "" : "...");
                free(words);
                return NULL;
            }
            p = end;
            words[count++] = (uint32_t)word;
        }
    }
    if (!words)
        command_failed(command, "out of memory");
    *size = 4 * count;
    return (uint8_t *)words;
}

static int disassemble_file(const struct command *command, const struct isa_options *options,
                            const char *path, uint32_t base, enum isa_text_form form) {
    size_t size, length;
    uint8_t *bytes = read_whole_file(command, path, &size);
    if (!bytes)
        return EXIT_FAILED;
    if (is_hex_text(bytes, size)) {
        uint8_t *const words = words_of_text(command, path, (const char *)bytes, &size);
        free(bytes);
        if (!words)
            return EXIT_FAILED;
        bytes = words;
    }
    if (size % 4) {
        free(bytes);
        return command_failed(command, "%s: %zu bytes are not a whole number of words", path, size);
    }
    char *text = isa_disassemble(options->target, (const uint32_t *)(const void *)bytes, size / 4,
                                 base, form, &length);
    free(bytes);
    if (!text)
        return command_failed(command, "out of memory");
    int result = write_whole_file(command, options->output, text, length);
    free(text);
    return result;
}

static bool parse_base(const char *text, uint32_t *base) {
    char *end;
    errno = 0;
    unsigned long v = strtoul(text, &end, 0);
    *base = (uint32_t)v;
    return end != text && !*end && !errno && v % 8 == 0 && v < 1 << 24 && text[0] != '-';
}

COMMAND(dis) {
    struct isa_options isa = {0};
    const char *base_text = "0";
    bool listing = false, explain = false;
    const struct option_spec options[] = {
        ISA_OPTION_SPECS(isa),
        {"-b", "BASE", OPTION_TEXT, &base_text, "byte address of the first word (default 0)"},
        {"-o", "OUT", OPTION_TEXT, &isa.output, "where to write (default: standard output)"},
        {"-a", NULL, OPTION_FLAG, &listing, "a listing: address and words before the text"},
        {"--explain", NULL, OPTION_FLAG, &explain, "comments say what each instruction does"},
        {0},
    };
    const struct command command = {
        "dis",
        "-m CHIP -t TYPE [options] [FILE] | --vectors FILE",
        "Turns machine code into assembly text, which `teslapipe as` turns back into the same "
        "bytes. FILE\n"
        "(without, or -: standard input) has raw little-endian words, or text of words: "
        "0x80000000 0x90000000.\n"
        "Or checks the disassembler against a vector file.",
        options,
        "teslapipe dis --explain wave.vp.bin\n"
        "echo '0x10008001 0x0403c003' | teslapipe dis -t fp",
    };
    COMMAND_PARSE(exit_code, count);
    if (isa.vectors && isa.output)
        return command_usage(&command, "-o goes without --vectors");
    if (isa.vectors)
        return count ? command_usage(&command, "--vectors takes no other file")
                     : check_vectors(&command, isa.vectors, ISA_DISASSEMBLE);
    if (count > 1)
        return command_usage(&command, "give one file of machine code (see --help)");
    const char *const path = count ? argv[1] : "-";
    uint32_t base;
    if (!parse_base(base_text, &base))
        return command_usage(&command, "-b %s: must be a multiple of 8 below 0x1000000", base_text);
    if (listing && explain)
        return command_usage(&command, "give -a or --explain, not both");
    if (!resolve_isa_target(&command, &isa, path))
        return EXIT_USAGE;
    const enum isa_text_form form = listing ? ISA_LISTING : explain ? ISA_EXPLAINED : ISA_SOURCE;
    return disassemble_file(&command, &isa, path, base, form);
}
