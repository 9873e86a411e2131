/* teslapipe compare: says whether two PNG files hold the same pixels, and shows where they do not.
 * The golden image tests use it (tests/golden.sh).
 */
#include "tools/png.h"
#include "tools/tool.h"

#include <stdlib.h>
#include <string.h>

static const char *difference_path;

static const struct option_spec options[] = {
    {"-o", "FILE", OPTION_TEXT, &difference_path, "for the difference picture, if they differ"},
    {0},
};
static const struct command command = {
    "compare",
    "GOT.png EXPECTED.png [-o DIFFERENCE.png]",
    "Compares the pixels of two pictures exactly. Exit code 0: equal; 1: not, or unreadable.\n"
    "In the difference picture equal pixels are grey, others red: the brighter, the larger the\n"
    "difference.",
    options,
};

struct picture {
    uint32_t width, height;
    uint8_t *pixels; /* RGBA8 */
};

static bool load(struct picture *p, const char *path) {
    char message[4400];
    p->pixels = read_png(path, &p->width, &p->height, message, sizeof message);
    if (!p->pixels)
        command_failed(&command, "%s", message);
    return p->pixels;
}

/* Number of pixels that differ in red, green or blue; got is turned into the difference picture. */
static size_t compare(struct picture *got, const struct picture *expected) {
    size_t count = 0;
    for (size_t i = 0; i < (size_t)got->width * got->height; i++) {
        uint8_t *g = got->pixels + 4 * i;
        const uint8_t *e = expected->pixels + 4 * i;
        int worst = 0;
        for (int c = 0; c < 3; c++)
            worst = abs(g[c] - e[c]) > worst ? abs(g[c] - e[c]) : worst;
        uint8_t grey = (uint8_t)((e[0] + e[1] + e[2]) / 8), red = (uint8_t)(128 + worst / 2);
        memcpy(g, worst ? (uint8_t[4]){red, 0, 0, 255} : (uint8_t[4]){grey, grey, grey, 255}, 4);
        count += worst > 0;
    }
    return count;
}

static int compare_files(const char *got_path, const char *expected_path) {
    char message[4400];
    struct picture got = {0}, expected = {0};
    int code = EXIT_FAILED;
    if (!load(&got, got_path) || !load(&expected, expected_path)) {
        code = EXIT_FAILED;
    } else if (got.width != expected.width || got.height != expected.height) {
        command_failed(&command, "%s is %ux%u, %s is %ux%u", got_path, got.width, got.height,
                       expected_path, expected.width, expected.height);
    } else {
        size_t count = compare(&got, &expected), all = (size_t)got.width * got.height;
        if (count == 0)
            code = EXIT_FINE;
        else
            printf("%s: %zu of %zu pixels differ from %s%s%s\n", got_path, count, all,
                   expected_path, difference_path ? "; see " : "",
                   difference_path ? difference_path : "");
        if (count && difference_path &&
            !write_png(difference_path, got.width, got.height, got.pixels, message, sizeof message))
            command_failed(&command, "%s", message);
    }
    free(got.pixels);
    free(expected.pixels);
    return code;
}

int cmd_compare(int argc, char **argv) {
    int code, count = command_parse(&command, argc, argv, &code);
    if (count < 0)
        return code;
    if (count != 2)
        return command_usage(&command, "two pictures are needed, not %d", count);
    return compare_files(argv[1], argv[2]);
}
