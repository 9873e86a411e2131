/* Runs a fuzz target on its stored inputs, without libFuzzer: linked with tests/fuzz/NAME.c, this
 * file makes the test program NAME. Every input is a test. An input that breaks a rule of the
 * target ends the program. Run in the project's folder. */
#include "tests/fences.h"

#include <dirent.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size);

/* For mutators, which call this function; without libFuzzer no mutator runs. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t max_size) {
    (void)data, (void)max_size;
    return size;
}

static int run_file(const char *path) {
    FILE *f = fopen(path, "rb");
    static uint8_t data[1 << 20];
    const size_t size = f ? fread(data, 1, sizeof data, f) : 0;
    uint8_t *exact = malloc(size + !size); /* sanitizers notice reads behind the input */
    const int result = !f || !exact;
    if (!result) {
        memcpy(exact, data, size);
        fprintf(stderr, "%s\n", path);
        LLVMFuzzerTestOneInput(exact, size);
    }
    free(exact);
    if (f)
        fclose(f);
    return result;
}

int main(int argc, char **argv) {
    char folder[256], path[512];
    const char *name = strrchr(argv[0], '/');
    int passed = 0, failed = 0;
    snprintf(folder, sizeof folder, "tests/fuzz/corpus/%s", name ? name + 1 : argv[0]);
    DIR *dir = opendir(folder);
    for (struct dirent *e; argc == 1 && dir && (e = readdir(dir));) {
        if (e->d_name[0] == '.')
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        if (run_file(path))
            failed++;
        else
            passed++;
    }
    if (dir)
        closedir(dir);
    printf("%d passed, %d failed\n", passed, failed);
    return failed || !passed;
}
