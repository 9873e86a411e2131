/* Compares two raw RGBA8 pictures of one size: `compare A B PIXELS LEVEL` fails if more than PIXELS
 * pixels differ by more than LEVEL in any channel. Prints the differences. */
#include <stdio.h>
#include <stdlib.h>

static long load(const char *path, unsigned char **data) {
    FILE *f = fopen(path, "rb");
    if (!f || fseek(f, 0, SEEK_END))
        return -1;
    const long size = ftell(f);
    rewind(f);
    *data = malloc((size_t)size + 1);
    const long got = *data ? (long)fread(*data, 1, (size_t)size, f) : -1;
    fclose(f);
    return got == size ? size : -1;
}

int main(int argc, char **argv) {
    unsigned char *a = NULL, *b = NULL;
    if (argc != 5)
        return 2;
    const long size = load(argv[1], &a);
    if (size <= 0 || load(argv[2], &b) != size) {
        printf("pictures are missing or differ in size\n");
        return 1;
    }
    const int allowed = atoi(argv[3]), level = atoi(argv[4]);
    int worst = 0, different = 0;
    for (long i = 0; i < size; i += 4) {
        int most = 0;
        for (int k = 0; k < 4; k++) {
            const int d = abs(a[i + k] - b[i + k]);
            most = d > most ? d : most;
        }
        worst = most > worst ? most : worst;
        different += most > level;
    }
    printf("%d pixels differ by more than %d (allowed %d), worst %d\n", different, level, allowed,
           worst);
    return different > allowed;
}
