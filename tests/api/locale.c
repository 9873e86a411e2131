/* The program's locale has no effect on program text and on files of the library. */
#include "base/c_locale.h"
#include "shader/isa/isa.h"
#include "include/teslapipe_debug.h"
#include "tests/pipeline/fixture.h"

#include <sys/wait.h>
#include <unistd.h>

static char folder[] = "/tmp/teslapipe-XXXXXX";

/* For LeakSanitizer: glibc loses the file name of a locale that it has loaded. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void) {
    return "leak:libc.so.6\n";
}

/* Sets a locale with a decimal comma, made by localedef. False: this system cannot make one. */
static bool enter_comma(void) {
    char text[256];
    assert_non_null(mkdtemp(folder));
    snprintf(text, sizeof text, "%s/source", folder);
    FILE *source = fopen(text, "w");
    assert_non_null(source);
    fprintf(source, "comment_char %%\nescape_char /\nLC_NUMERIC\ndecimal_point \",\"\n"
                    "thousands_sep \"\"\ngrouping -1\nEND LC_NUMERIC\n");
    fclose(source);
    snprintf(text, sizeof text, "cd %s && localedef -c -i source ./comma >log 2>&1", folder);
    if (system(text) == -1) /* localedef warns that the other categories are missing */
        return false;
    setenv("LOCPATH", folder, 1);
    const locale_t comma = newlocale(LC_NUMERIC_MASK, "comma", (locale_t)0);
    if (comma)
        uselocale(comma);
    return comma;
}

static void leave_comma(void) {
    char text[64];
    const locale_t comma = uselocale(LC_GLOBAL_LOCALE);
    if (comma != LC_GLOBAL_LOCALE)
        freelocale(comma);
    unsetenv("LOCPATH");
    snprintf(text, sizeof text, "rm -rf %s", folder);
    assert_int_equal(system(text), 0);
}

static void check_words(enum isa_variant variant, enum isa_syntax syntax, const char *text) {
    const struct isa_target target = {variant, PROGRAM_CP, syntax};
    struct asm_result r;
    char err[256] = "", *back;
    size_t length;
    isa_assemble(target, text, strlen(text), "x", NULL, &r, err, sizeof err);
    assert_string_equal(err, "");
    back = isa_disassemble(target, r.words, r.count, 0, ISA_SOURCE, &length);
    assert_non_null(strstr(back, "0.5"));
    assert_null(strstr(back, "0,5"));
    free(back);
    asm_result_free(&r);
}

/* Runs in a child process, because the record of the time line lasts as long as its process. */
static void check_timeline(void) {
    char path[64], line[512], after = 0;
    int status = -1;
    const pid_t child = fork();
    if (child) {
        waitpid(child, &status, 0);
        assert_int_equal(status, 0);
        return;
    }
    snprintf(path, sizeof path, "%s/timeline", folder);
    tp_debug_timeline_begin(NULL);
    FIXTURE(f, 1, NULL, 64);
    fixture_read(&f);
    assert_int_equal(tp_debug_timeline_end(path), TP_OK);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file) && !after)
        if (strstr(line, "\"ts\":"))
            after = strstr(line, "\"ts\":")[5 + strspn(strstr(line, "\"ts\":") + 5, "0123456789")];
    fclose(file);
    _exit(after == '.' ? 0 : 1);
}

TEST(test_comma) {
    const bool set = enter_comma();
    char number[8];
    if (set) {
        check_words(ISA_GT215, SYNTAX_ENVYAS, "mov b32 $r0 0.5\nexit nop\n");
        check_words(ISA_GF100, SYNTAX_ASFERMI, "MOV32I R0, F0.5;\nEXIT;\n");
        check_words(ISA_G64, SYNTAX_ENVYAS, "FADD R0, R1, 0.5\nEXIT\n");
        check_timeline();
        snprintf(number, sizeof number, "%.1f", 0.5);
        assert_string_equal(number, "0,5"); /* the library restored the program's locale */
    }
    leave_comma();
    if (!set)
        skip();
}
