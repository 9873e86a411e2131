/* Programs in a code segment: their length, which follows from their control flow; the local memory
 * that they use; words that are no program. A program is found in the cache until its words,
 * registers or place change. */
#include "fifo/program_code.h"
#include "tests/fifo/fixture.h"

enum { SEGMENT = 0x1000 };

static struct code_cache cache;

/* Writes the words of a program's text at byte `at` of the segment; returns the length in bytes. */
static uint32_t write_text(struct fixture *f, uint32_t at, const char *text) {
    struct program_error error;
    struct program *p =
        program_from_text(PROGRAM_FP, ISA_GT215, text, strlen(text), "test", &error);
    if (!p)
        fail_msg("%s", error.text);
    const uint32_t bytes = 4 * p->word_count;
    memcpy(f->bytes + SEGMENT + at, p->words, bytes);
    program_unref(p);
    return bytes;
}

static int end_with_cache(void **state) {
    code_cache_free(&cache);
    memset(&cache, 0, sizeof cache);
    return teardown(state);
}

static struct program *find(struct fixture *f, uint32_t start, uint32_t registers) {
    return code_find(&cache, f->channel, PROGRAM_FP, f->data + SEGMENT, start, registers);
}

/* first: the first word of the program that begins at instruction `start`; last: the word behind
 * its end. The text stands behind `at` instructions of two words. */
TEST_WITH(test_extents, setup, end_with_cache) {
    static const struct {
        const char *what, *text;
        uint32_t at, start, first, last;
    } rows[] = {
        {"to its exit", "long add b32 $r0 $r1 $r2\nexit nop\nlong add b32 $r0 $r1 $r2\n", 0, 0, 0,
         4},
        {"from its start", "long add b32 $r0 $r1 $r2\nlong add b32 $r0 $r1 $r2\nexit nop\n", 4, 5,
         10, 14},
        {"over what is skipped",
         "bra #x\nlong add b32 $r0 $r1 $r2\nlong add b32 $r0 $r1 $r2\nx: exit nop\nlong add b32 $r0 $r1 $r2\n",
         0, 0, 0, 8},
        {"back to what is before it",
         "y: long add b32 $r0 $r1 $r2\nexit nop\nz: bra #y\nexit nop\n", 0, 2, 0, 6},
        {"on where it may branch",
         "(e $c0) bra #x\nexit nop\nx: exit nop\nlong add b32 $r0 $r1 $r2\n", 0, 0, 0, 6},
        {"on where it may leave",
         "exit (e $c0) nop\nlong add b32 $r0 $r1 $r2\nexit nop\nlong add b32 $r0 $r1 $r2\n", 0, 0,
         0, 6},
        {"into what it calls and back",
         "call #x\nexit nop\nlong add b32 $r0 $r1 $r2\nx: ret\nlong add b32 $r0 $r1 $r2\n", 0, 0, 0,
         8},
        {"on behind a call", "call #x\nlong add b32 $r0 $r1 $r2\nexit nop\nx: ret\n", 0, 0, 0, 8},
        {"to where it joins",
         "joinat #x\nexit nop\nlong add b32 $r0 $r1 $r2\nx: join nop\nexit nop\nlong add b32 $r0 $r1 $r2\n",
         0, 0, 0, 10},
        {"to where it breaks",
         "breakaddr #x\nbreak\nlong add b32 $r0 $r1 $r2\nx: exit nop\nlong add b32 $r0 $r1 $r2\n",
         0, 0, 0, 8},
        {"to where it breaks, not beyond",
         "bra #s\nx: exit nop\ns: breakaddr #x\nbreak\nlong add b32 $r0 $r1 $r2\n", 0, 0, 0, 8},
        {"to a return", "ret\nlong add b32 $r0 $r1 $r2\n", 0, 0, 0, 2},
        {"to a trap", "trap\nexit nop\n", 0, 0, 0, 2},
        {"back to the second half of two words",
         "add b32 $r0 $r1 $r2\ny: add b32 $r0 $r1 $r2\nexit nop\nbra #y\nexit nop\n", 0, 2, 0, 6},
        {"round and round, further on", "x: bra #x\nexit nop\n", 3, 3, 6, 8},
        {"round and round over several",
         "x: long add b32 $r0 $r1 $r2\nlong add b32 $r0 $r1 $r2\nbra #x\nexit nop\n", 5, 6, 10, 16},
        {"round and round", "x: bra #x\nexit nop\n", 0, 0, 0, 2},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        memset(f->bytes + SEGMENT, 0, 4096);
        char padded[1024] = "";
        for (uint32_t k = 0; k < rows[i].at; k++)
            strcat(padded, "long add b32 $r0 $r1 $r2\n");
        strcat(padded, rows[i].text);
        const uint32_t bytes = write_text(f, 0, padded);
        struct program *p = find(f, 8 * rows[i].start, 10);
        if (!p)
            fail_msg("%s: no program", rows[i].what);
        if (p->base != 4 * rows[i].first || p->base + 4 * p->word_count != 4 * rows[i].last ||
            p->entry != 8 * rows[i].start)
            fail_msg("%s: %x to %x of %x, from %x", rows[i].what, p->base,
                     p->base + 4 * p->word_count, bytes, p->entry);
        assert_int_equal(p->header.reg_count, 10);
    }
    assert_int_equal(f->lines, 0);
}

/* Code without an end extends to the end of its segment of 512 KiB, even if the memory behind it
 * contains code. */
TEST_WITH(test_segment_end, setup, end_with_cache) {
    enum { LIMIT = 1 << 19 };
    const char *text = "long add b32 $r0 $r1 $r2\nlong add b32 $r0 $r1 $r2\n";
    memset(f->bytes + LIMIT - 256, 0, 512);
    for (uint32_t back = 16; back <= 32; back += 8) {
        memset(f->bytes + LIMIT - back, 0, back);
        for (uint32_t at = LIMIT - back; at + 16 <= LIMIT + 16; at += 16)
            write_text(f, at - SEGMENT, text);
        const struct program *p =
            code_find(&cache, f->channel, PROGRAM_FP, f->data, LIMIT - back, 4);
        assert_non_null(p);
        assert_int_equal(p->base, LIMIT - back);
        assert_int_equal(p->word_count, back / 4);
    }
}

/* l[] extends 16 bytes beyond the largest operand offset. With an address register, a program has
 * all of l[]. */
TEST_WITH(test_local_memory, setup, end_with_cache) {
    static const struct {
        const char *text;
        uint32_t bytes;
    } rows[] = {
        {"exit nop\n", 0},
        {"ld b32 $r0 l[0x0]\nexit nop\n", 16},
        {"ld b32 $r0 l[0x40]\nld b32 $r1 l[0x8]\nexit nop\n", 0x50},
        {"st b32 l[0x100] $r0\nexit nop\n", 0x110},
        {"ld u8 $r0 l[0x41]\nexit nop\n", 0x51},
        {"st u16 l[0xffee] $r0\nexit nop\n", 0xfffe},
        {"st b32 l[$a1+0x10] $r0\nexit nop\n", 0x10000},
        {"ld b32 $r0 l[0xfff0]\nexit nop\n", 0x10000},
        {"ld b32 $r0 l[0xfff8]\nexit nop\n", 0x10000},
        {"add b32 $r0 $r1 c0[0x40]\nexit nop\n", 0},
    };
    for (size_t i = 0; i < LENGTH(rows); i++) {
        memset(f->bytes + SEGMENT, 0, 4096);
        write_text(f, 0, rows[i].text);
        struct program *p = find(f, 0, 4);
        if (!p || p->header.local_size != rows[i].bytes)
            fail_msg("row %zu: %x bytes", i, p ? p->header.local_size : 0);
    }
}

TEST_WITH(test_no_program, setup, end_with_cache) {
    uint64_t extent;
    memory_view(f->memory, f->data, &extent);
    write_text(f, 0, "exit nop\n");
    const struct {
        uint64_t segment;
        uint32_t start;
        bool there;
    } rows[] = {{f->data + SEGMENT, 0, true},
                {f->data + SEGMENT, 4, false},
                {f->data + SEGMENT + 2, 16, false},
                {f->data + SEGMENT - 8, 8, true},
                {0x100, 24, false},
                {f->data + SEGMENT - (1 << 19), (1 << 19) - 8, false},
                {f->data + SEGMENT, (uint32_t)extent - SEGMENT, false},
                {f->data, 1 << 19, false},
                {f->data + extent - 64, 64, false},
                {f->data + extent - 64, 72, false}};
    for (size_t i = 0; i < LENGTH(rows); i++) {
        const int before = f->lines;
        const struct program *p =
            code_find(&cache, f->channel, PROGRAM_FP, rows[i].segment, rows[i].start, 4);
        if ((p != NULL) != rows[i].there)
            fail_msg("row %zu", i);
        if (!rows[i].there)
            assert_true(f->lines == before + 1 && strstr(f->last, "no program"));
        const int said = f->lines;
        code_find(&cache, f->channel, PROGRAM_FP, rows[i].segment, rows[i].start, 4);
        assert_int_equal(f->lines, said); /* reported once */
    }
    for (uint32_t i = 0; i < 8 * 4; i++) { /* places and segments that are not aligned */
        const int before = f->lines;
        const bool there =
            code_find(&cache, f->channel, PROGRAM_FP, f->data + SEGMENT + i / 8, i % 8, 4);
        assert_int_equal(there, i == 0);
        assert_in_range(f->lines - before, 0, 1); /* reported once for each place in a segment */
    }
}

/* The logged lines, for comparison. */
static char listing[4096];

static void keep_line(void *self, int level, const char *line) {
    const size_t have = strlen(listing);
    struct fixture *f = self;
    f->lines++;
    (void)level;
    snprintf(listing + have, sizeof listing - have, "%s\n", line);
}

/* At level debug, a program is listed when it is first seen: the place of each instruction in the
 * segment, and its text. */
TEST_WITH(test_listing, setup, end_with_cache) {
    static const char expected[] = "program fp@00010, 6 registers, 80 bytes of l[]:\n"
                                   "  00010  add b32 $r0 $r1 $r2\n"
                                   "  00014  add b32 $r0 $r1 $r2\n"
                                   "  00018  ld b32 $r0 l[0x40]\n"
                                   "  00020  exit nop\n";
    memset(f->bytes + SEGMENT, 0, 4096);
    write_text(
        f, 0,
        "exit nop\nexit nop\nadd b32 $r0 $r1 $r2\nadd b32 $r0 $r1 $r2\nld b32 $r0 l[0x40]\nexit nop\n");
    f->device->log_line = keep_line;
    for (int level = LOG_ERROR; level <= LOG_DEBUG; level++) {
        listing[0] = 0;
        f->device->log.level = (enum log_level)level;
        for (int again = 0; again < 2; again++)
            assert_non_null(find(f, 16, 6));
        if (strcmp(listing, level == LOG_DEBUG ? expected : "") != 0)
            fail_msg("level %d: %s", level, listing);
        code_cache_free(&cache);
        memset(&cache, 0, sizeof cache);
    }
}

/* An illegal instruction traps, so the program ends there. */
TEST_WITH(test_illegal, setup, end_with_cache) {
    static const uint32_t words[] = {0xffffffff, 0xffffffff};
    memset(f->bytes + SEGMENT, 0, 4096);
    for (uint32_t at = 0; at < 24; at += 8) {
        write_text(
            f, 0,
            "long add b32 $r0 $r1 $r2\nlong add b32 $r0 $r1 $r2\nlong add b32 $r0 $r1 $r2\nexit nop\n");
        memcpy(f->bytes + SEGMENT + at, words, sizeof words);
        const struct program *p = find(f, 0, 4);
        assert_non_null(p);
        assert_int_equal(p->base, 0);
        assert_int_equal(4 * p->word_count, at + 8);
    }
    assert_int_equal(f->lines, 0);
}

/* A change of any word of a program makes another program, also of the last word and of a program
 * that ends with its memory. */
TEST_WITH(test_last_word, setup, end_with_cache) {
    const uint64_t segment = memory_alloc(f->memory, 4096, 4096);
    const uint32_t size = (uint32_t)memory_extent(f->memory, segment);
    const uint32_t bytes = write_text(
        f, 0,
        "long add b32 $r0 $r1 $r2\nlong add b32 $r0 $r1 $r2\nlong add b32 $r0 $r1 $r2\nexit nop\n");
    uint8_t *const end = (uint8_t *)memory_at(f->memory, segment, size) + size;
    memcpy(end - bytes, f->bytes + SEGMENT, bytes);
    struct program *p =
        program_ref(code_find(&cache, f->channel, PROGRAM_FP, segment, size - bytes, 4));
    assert_non_null(p);
    assert_int_equal(4 * p->word_count, bytes);
    assert_ptr_equal(code_find(&cache, f->channel, PROGRAM_FP, segment, size - bytes, 4), p);
    for (uint32_t at = 1; at <= bytes; at++) {
        end[-(int)at] ^= 2; /* changes some words into other instructions, others into none */
        assert_ptr_not_equal(code_find(&cache, f->channel, PROGRAM_FP, segment, size - bytes, 4),
                             p);
        end[-(int)at] ^= 2;
        assert_ptr_equal(code_find(&cache, f->channel, PROGRAM_FP, segment, size - bytes, 4), p);
    }
    program_unref(p);
    memory_free(f->memory, segment);
}

/* If the segment ends after the first word of a long instruction, this word is no instruction. */
TEST_WITH(test_cut_instruction, setup, end_with_cache) {
    const uint64_t segment = memory_alloc(f->memory, 4096, 4096);
    const uint32_t size = (uint32_t)memory_extent(f->memory, segment);
    uint32_t *const words = memory_at(f->memory, segment, size);
    write_text(f, 0, "add b32 $r0 $r1 $r2\nadd b32 $r0 $r1 $r2\nlong add b32 $r0 $r1 $r2\n");
    memcpy(words + size / 4 - 2, f->bytes + SEGMENT + 4, 8);
    const struct program *p = code_find(&cache, f->channel, PROGRAM_FP, segment, size - 8, 4);
    assert_non_null(p);
    assert_int_equal(p->word_count, 2);
    assert_int_equal(p->ops[0].words, 1);
    assert_int_equal(p->ops[1].code, OP_ILLEGAL);
    memory_free(f->memory, segment);
}

/* When a program's memory has been freed, there is no program, even if it was found before. */
TEST_WITH(test_gone, setup, end_with_cache) {
    const uint64_t segment = memory_alloc(f->memory, 4096, 4096);
    write_text(f, 0, "exit nop\n");
    memcpy(memory_at(f->memory, segment, 8), f->bytes + SEGMENT, 8);
    assert_non_null(code_find(&cache, f->channel, PROGRAM_FP, segment, 0, 4));
    memory_free(f->memory, segment);
    assert_null(code_find(&cache, f->channel, PROGRAM_FP, segment, 0, 4));
    assert_non_null(strstr(f->last, "no program at 00000 of the segment at"));
    assert_non_null(find(f, 0, 4));
}

/* The same words give the same program. Other words, register counts, types or places give another
 * program. */
TEST_WITH(test_found_again, setup, end_with_cache) {
    memset(f->bytes + SEGMENT, 0, 4096);
    write_text(f, 0, "add b32 $r0 $r1 $r2\nexit nop\n");
    write_text(f, 64, "add b32 $r0 $r1 $r2\nexit nop\n");
    memcpy(f->bytes + SEGMENT + 4096, f->bytes + SEGMENT, 128);
    struct program *p = program_ref(find(f, 0, 8));
    assert_ptr_equal(find(f, 0, 8), p);
    assert_ptr_not_equal(find(f, 64, 8), p);
    assert_ptr_not_equal(find(f, 0, 9), p);
    assert_int_equal(find(f, 0, 200)->header.reg_count, 128);
    assert_ptr_not_equal(code_find(&cache, f->channel, PROGRAM_VP, f->data + SEGMENT, 0, 8), p);
    assert_ptr_not_equal(code_find(&cache, f->channel, PROGRAM_FP, f->data + SEGMENT + 4096, 0, 8),
                         p);
    assert_ptr_equal(find(f, 0, 8), p);
    f->bytes[SEGMENT + 200] ^= 1; /* not a word of the program */
    assert_ptr_equal(find(f, 0, 8), p);
    f->bytes[SEGMENT + 1] ^= 1; /* a register number */
    struct program *other = find(f, 0, 8);
    assert_ptr_not_equal(other, p);
    assert_int_equal(other->words[0], p->words[0] ^ 0x100);
    f->bytes[SEGMENT + 1] ^= 1;
    assert_ptr_equal(find(f, 0, 8), p); /* the cache keeps both */
    /* when the cache is full, the program whose last use is oldest is evicted */
    for (uint32_t i = 0; i < CODE_CACHE; i++)
        memcpy(f->bytes + 0x10000 + 64 * i, f->bytes + SEGMENT, 64);
    for (uint32_t i = 0; i < CODE_CACHE; i++) {
        code_find(&cache, f->channel, PROGRAM_FP, f->data + 0x10000, 64 * i, 8);
        if (i % 100 == 0)
            assert_ptr_equal(find(f, 0, 8), p);
    }
    assert_ptr_equal(find(f, 0, 8), p);
    const uint64_t now = cache.now;
    const struct program *last =
        code_find(&cache, f->channel, PROGRAM_FP, f->data + 0x10000, 64 * (CODE_CACHE - 1), 8);
    assert_ptr_equal(
        code_find(&cache, f->channel, PROGRAM_FP, f->data + 0x10000, 64 * (CODE_CACHE - 1), 8),
        last);
    assert_int_equal(cache.now, now + 2);
    for (uint32_t i = 0; i < CODE_CACHE; i++)
        code_find(&cache, f->channel, PROGRAM_FP, f->data + 0x10000, 64 * i, 9);
    assert_int_equal(p->refs, 1); /* an evicted program has no other owner */
    program_unref(p);
    assert_int_equal(f->lines, 0);
}
