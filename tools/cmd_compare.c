/* teslapipe compare: tells whether two PNG files have the same or nearly the same pixels, and makes
 * a picture of the differences. tests/golden/golden.sh and tests/apps use the command. */
#include "tools/png.h"
#include "tools/tool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static const char *difference_path, *html_folder;
static double tolerance, allowed, unlike = -1;
static int colours = 1;

static const struct option_spec options[] = {
    {"--tolerance", "N", OPTION_BYTE, &tolerance,
     "channels that differ by N of 255 or less are equal (default 0)"},
    {"--allow", "PERCENT", OPTION_PERCENT, &allowed,
     "share of the pixels that may differ (default 0)"},
    {"--histogram", "PERCENT", OPTION_PERCENT, &unlike,
     "compares only histograms of colours; share of the histograms that may differ"},
    {"--colours", "N", OPTION_COUNT, &colours, "fails if EXPECTED has fewer than N colours"},
    {"-o", "FILE", OPTION_TEXT, &difference_path,
     "file for the difference picture, if the pictures differ"},
    {"--html", "FOLDER", OPTION_TEXT, &html_folder,
     "a page with both pictures, the difference and a slider, if the pictures differ"},
    {0},
};
static const struct command command = {
    "compare",
    "GOT.png EXPECTED.png [options]",
    "Compares the pixels of two pictures, exactly unless told otherwise. Exit code 0: equal; 1: not\n"
    "equal, or a file cannot be read. In the difference picture equal pixels are grey, others red:\n"
    "the brighter, the larger the difference.",
    options,
    "teslapipe compare got.png expected.png --tolerance 2 --allow 0.1",
};

struct picture {
    uint32_t width, height;
    uint8_t *pixels; /* RGBA8 */
};

static bool load_picture(struct picture *p, const char *path) {
    char message[4400];
    p->pixels = read_png(path, &p->width, &p->height, message, sizeof message);
    if (!p->pixels)
        command_failed(&command, "%s", message);
    return p->pixels;
}

/* Returns the number of pixels that differ by more than the tolerance in red, green or blue; `got`
 * becomes the difference picture. */
static size_t count_differences(struct picture *got, const struct picture *expected) {
    size_t count = 0;
    for (size_t i = 0; i < (size_t)got->width * got->height; i++) {
        uint8_t *g = got->pixels + 4 * i;
        const uint8_t *e = expected->pixels + 4 * i;
        int worst = 0;
        for (int c = 0; c < 3; c++)
            worst = abs(g[c] - e[c]) > worst ? abs(g[c] - e[c]) : worst;
        uint8_t grey = (uint8_t)((e[0] + e[1] + e[2]) / 8), red = (uint8_t)(128 + worst / 2);
        const bool differs = worst > tolerance;
        memcpy(g, differs ? (uint8_t[4]){red, 0, 0, 255} : (uint8_t[4]){grey, grey, grey, 255}, 4);
        count += differs;
    }
    return count;
}

/* Returns the percentage of the histograms (32 levels of each channel) that only one picture
 * has. */
static double histograms_differ(const struct picture *got, const struct picture *expected) {
    enum { LEVELS = 32 };
    const size_t all = (size_t)got->width * got->height;
    long count[3][LEVELS] = {0};
    double sum = 0;
    for (size_t i = 0; i < all; i++)
        for (int c = 0; c < 3; c++) {
            count[c][got->pixels[4 * i + c] * LEVELS / 256]++;
            count[c][expected->pixels[4 * i + c] * LEVELS / 256]--;
        }
    for (int c = 0; c < 3; c++)
        for (int level = 0; level < LEVELS; level++)
            sum += (double)labs(count[c][level]);
    return 100 * sum / (2 * 3 * (double)all);
}

static int by_value(const void *a, const void *b) {
    uint32_t x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Returns the number of different colours; sorts the pixels. */
static size_t colours_of(struct picture *p) {
    const size_t all = (size_t)p->width * p->height;
    size_t count = all > 0;
    qsort(p->pixels, all, 4, by_value);
    for (size_t i = 1; i < all; i++)
        count += memcmp(p->pixels + 4 * i, p->pixels + 4 * (i - 1), 4) != 0;
    return count;
}

/* ---- The page ---- */

/* The page shows one picture over the other; the slider moves the left edge of the upper
 * picture. */
static const char page[] =
    "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\"><title>%s</title>\n<style>\n"
    "body{font:15px sans-serif;margin:1.5em;background:#222;color:#ddd}\n"
    "figure{display:inline-block;margin:0 1em 1em 0}img{image-rendering:pixelated;display:block}\n"
    "#both{position:relative;width:%upx;height:%upx}#both img{position:absolute;left:0;top:0}\n"
    "input{width:%upx}\n</style>\n<h1>%s</h1>\n<p>%zu of %zu pixels differ.</p>\n"
    "<p>Left of the slider: got; right: expected.</p>\n"
    "<div id=\"both\"><img src=\"expected.png\" alt=\"expected\">"
    "<img id=\"got\" src=\"got.png\" alt=\"got\"></div>\n"
    "<input id=\"slider\" type=\"range\" min=\"0\" max=\"100\" value=\"50\" "
    "aria-label=\"from got to expected\">\n<p>\n"
    "<figure><img src=\"got.png\" alt=\"got\"><figcaption>got</figcaption></figure>\n"
    "<figure><img src=\"expected.png\" alt=\"expected\"><figcaption>expected</figcaption></figure>\n"
    "<figure><img src=\"difference.png\" alt=\"difference\"><figcaption>difference: equal pixels are "
    "grey</figcaption></figure>\n<script>\n"
    "const slider = document.getElementById('slider'), got = document.getElementById('got');\n"
    "slider.oninput = () => got.style.clipPath = `inset(0 ${100 - slider.value}%% 0 0)`;\n"
    "slider.oninput();\n</script>\n</html>\n";

/* Writes FOLDER/NAME. Returns false after a message. */
static bool write_beside(const char *name, const struct picture *p) {
    char path[PATH_MAX], message[4400];
    snprintf(path, sizeof path, "%s/%s", html_folder, name);
    if (write_png(path, p->width, p->height, p->pixels, message, sizeof message))
        return true;
    command_failed(&command, "%s", message);
    return false;
}

/* The facts of the comparison that the page shows. */
struct comparison {
    const struct picture *picture;
    const char *path;
    size_t count; /* pixels that differ */
};

static void put_page(void *self, FILE *out) {
    const struct comparison *k = self;
    const struct picture *p = k->picture;
    char title[512];
    size_t n = 0;
    for (const char *c = k->path; *c && n < sizeof title - 8; c++)
        n += (size_t)snprintf(title + n, sizeof title - n, strchr("<>&", *c) ? "&#%d;" : "%c", *c);
    title[n] = 0;
    fprintf(out, page, title, p->width, p->height, p->width, title, k->count,
            (size_t)p->width * p->height);
}

static bool write_page(const struct picture *p, const char *got_path, size_t count) {
    char path[PATH_MAX];
    struct comparison comparison = {p, got_path, count};
    snprintf(path, sizeof path, "%s/index.html", html_folder);
    return write_text_file(&command, path, put_page, &comparison) == EXIT_FINE;
}

/* Writes the pictures of the page; called before `got` becomes the difference picture. */
static bool begin_page(const struct picture *got, const struct picture *expected) {
    if (mkdir(html_folder, 0777) && errno != EEXIST) {
        command_failed(&command, "--html %s: %s", html_folder, strerror(errno));
        return false;
    }
    return write_beside("got.png", got) && write_beside("expected.png", expected);
}

static bool any_difference(const struct picture *a, const struct picture *b) {
    return memcmp(a->pixels, b->pixels, (size_t)4 * a->width * a->height) != 0;
}

/* Prints the differences. Returns EXIT_FINE if they are allowed. `got` becomes the difference
 * picture. */
static int tell_verdict(struct picture *got, struct picture *expected, const char *got_path,
                        const char *expected_path) {
    char message[4400];
    const double shares = histograms_differ(got, expected);
    const bool shown = html_folder && any_difference(got, expected);
    if (shown && !begin_page(got, expected))
        return EXIT_FAILED;
    const size_t count = count_differences(got, expected), all = (size_t)got->width * got->height;
    if (count && difference_path &&
        !write_png(difference_path, got->width, got->height, got->pixels, message, sizeof message))
        return command_failed(&command, "%s", message);
    if (shown && !(write_beside("difference.png", got) && write_page(got, got_path, count)))
        return EXIT_FAILED;
    if (count)
        printf("%s: %zu of %zu pixels differ from %s%s%s\n", got_path, count, all, expected_path,
               difference_path ? "; see " : "", difference_path ? difference_path : "");
    if (unlike >= 0)
        printf("%s: %.1f %% of the histogram differs\n", got_path, shares);
    if (unlike >= 0 ? shares > unlike : (double)count > allowed * 0.01 * (double)all)
        return EXIT_FAILED;
    if (colours > 1 && colours_of(expected) < (size_t)colours)
        return command_failed(&command, "%s has fewer than %d colours", expected_path, colours);
    return EXIT_FINE;
}

static int compare_files(const char *got_path, const char *expected_path) {
    struct picture got = {0}, expected = {0};
    int code = EXIT_FAILED;
    if (load_picture(&got, got_path) && load_picture(&expected, expected_path)) {
        if (got.width == expected.width && got.height == expected.height)
            code = tell_verdict(&got, &expected, got_path, expected_path);
        else
            command_failed(&command, "%s is %ux%u, %s is %ux%u", got_path, got.width, got.height,
                           expected_path, expected.width, expected.height);
    }
    free(got.pixels);
    free(expected.pixels);
    return code;
}

COMMAND(compare) {
    COMMAND_PARSE(code, count);
    if (count != 2)
        return command_usage(&command, "two pictures are needed, not %d (see --help)", count);
    return compare_files(argv[1], argv[2]);
}
