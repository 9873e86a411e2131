/* Finds programs in a code segment. The driver uploads code and passes its entry point, but not its
 * length: a program consists of all instructions that control flow can reach. In: GPU memory. Out:
 * decoded programs. Branch targets are byte offsets in the segment (tesla-3d.md §6).
 */
#include "fifo/program_code.h"

#include "fifo/quirks.h"

#include <inttypes.h>
#include <stdlib.h>

enum { SEGMENT_LIMIT = 1 << 19, FERMI_SEGMENT_LIMIT = 1 << 23 };

/* Reachable code that is at least this far from the program belongs to the library, which Fermi's
 * driver keeps near the end of the segment. */
enum { LIBRARY_GAP = 0x100 /* words */ };

/* Limit in words for each of three parts of a Fermi program: before the entry, from the entry on,
 * and the library. A limit is needed because decoded words take much more memory than the
 * segment. */
enum { PART_LIMIT = SEGMENT_LIMIT / 4 };

struct code_walk {
    struct isa_target target;
    const uint32_t *words; /* the segment */
    uint32_t count;
    bool *seen;     /* per word */
    uint32_t *todo; /* word numbers of branch targets to follow */
    uint32_t todo_count;
    uint32_t first, last;                 /* extent so far in words; last exclusive */
    uint32_t library_first, library_last; /* extent of the library in words; equal: none */
    uint32_t local;                       /* bytes of l[] used */
};

static bool ends_program(const struct op *op) {
    if (op->code == OP_ILLEGAL)
        return true;
    if (op_is_conditional(op))
        return false;
    return op->exit || op->code == OP_EXIT || op->code == OP_BRA || op->code == OP_RET ||
           op->code == OP_BREAK || op->code == OP_TRAP;
}

enum { LOCAL_MAX = 0x10000, LOCAL_WIDEST = 16 };

/* End in bytes of the part of l[] that an operand may reach; LOCAL_MAX if its address is not fixed.
 * The register LOCAL_SIZE_LOG is of no use: the driver leaves it too small. */
static uint32_t local_reach(const struct operand *o) {
    if (o->file != FILE_LOCAL)
        return 0;
    const uint32_t end = (o->value & 0xffff) + LOCAL_WIDEST;
    return o->areg || end > LOCAL_MAX ? LOCAL_MAX : end;
}

static void note_local(struct code_walk *w, const struct operand *o) {
    const uint32_t reach = local_reach(o);
    w->local = reach > w->local ? reach : w->local;
}

/* Follows straight-line code from word `at` to its end or to code that was already seen. */
static void walk_from(struct code_walk *w, uint32_t at) {
    while (at < w->count && !w->seen[at]) {
        struct op op;
        w->seen[at] = true;
        isa_decode(w->target, w->words + at, w->count - at, at * 4, &op);
        const uint32_t next = at + op.words;
        w->first = at < w->first ? at : w->first;
        w->last = next > w->last ? next : w->last;
        note_local(w, &op.dst);
        for (int i = 0; i < 3; i++)
            note_local(w, &op.src[i]);
        if (op_has(&op, TRAIT_TARGET) && op.target / 4 < w->count)
            w->todo[w->todo_count++] = op.target / 4;
        if (ends_program(&op))
            return;
        at = next;
    }
}

/* Splits the extent: words around `start` are the program, words beyond a gap the library. */
static void split_library(struct code_walk *w, uint32_t start) {
    const uint32_t first = w->first, last = w->last;
    w->library_first = w->library_last = last;
    if (isa_set_of(w->target.variant) == SET_TESLA)
        return;
    uint32_t end = start, begin = start;
    for (uint32_t i = start; i < last && i - end < LIBRARY_GAP && i - start < PART_LIMIT; i++)
        end = w->seen[i] ? i + 1 : end;
    for (uint32_t i = start; i > first && begin - i < LIBRARY_GAP && start - i < PART_LIMIT; i--)
        begin = w->seen[i - 1] ? i - 1 : begin;
    /* a program that reached PART_LIMIT has no gap behind it, hence no library */
    for (uint32_t i = end + LIBRARY_GAP;
         end - start < PART_LIMIT - LIBRARY_GAP && i < last && w->library_first == last; i++)
        w->library_first = w->seen[i] ? i & ~1u : last;
    if (last - w->library_first > PART_LIMIT)
        w->library_last = w->library_first + PART_LIMIT;
    w->first = begin;
    w->last = end < last ? end + 1 : end; /* include the last instruction's second word */
}

static bool find_extent(struct code_walk *w, uint32_t start) {
    w->seen = calloc(w->count, sizeof *w->seen);
    w->todo = malloc(w->count * sizeof *w->todo); /* a word adds at most one target */
    w->first = w->last = start;
    if (w->seen && w->todo) {
        walk_from(w, start);
        while (w->todo_count)
            walk_from(w, w->todo[--w->todo_count]);
    }
    const bool found = w->seen && w->todo;
    if (found)
        split_library(w, start);
    free(w->seen);
    free(w->todo);
    w->first &= ~1u; /* programs start at a multiple of 8 bytes */
    return found;
}

static bool is_same(struct channel *c, uint64_t address, const uint32_t *words, uint32_t count) {
    const void *now = memory_at(channel_memory(c), address, 4ull * count);
    return !count || (now && memcmp(now, words, 4ull * count) == 0);
}

static bool is_unchanged(const struct code_entry *e, struct channel *c) {
    const struct program *p = e->program;
    const uint32_t own = program_own_words(p), library = p->library_words;
    return is_same(c, e->segment + p->base, e->original ? e->original : p->words, own) &&
           is_same(c, e->segment + p->library_base, p->words + p->word_count - library, library) &&
           (!p->rows || is_same(c, e->segment + e->start, e->sph, SPH_WORDS));
}

static void list_program(struct channel *c, const struct program *p) {
    const struct log *log = channel_log(c);
    char text[256];
    if (log->level < LOG_DEBUG)
        return;
    log_message(log, LOG_DEBUG, "program %s, %u registers, %u bytes of l[]:", p->name,
                p->header.reg_count, p->header.local_size);
    for (uint32_t i = 0; i < p->word_count; i += p->ops[i].words) {
        isa_print((struct isa_target){p->variant, p->type, SYNTAX_ENVYAS}, &p->ops[i], text,
                  sizeof text);
        log_message(log, LOG_DEBUG, "  %05x  %s", program_address(p, i), text);
    }
}

/* Looks for a known fault of the driver in a Tesla's fragment program and logs it. Returns the
 * mended words if the channel has quirks and the fault is there, else NULL. */
static uint32_t *mend_words(struct channel *c, struct isa_target target, const uint32_t *words,
                            uint32_t count, const char *name) {
    if (target.type != PROGRAM_FP || isa_set_of(target.variant) != SET_TESLA ||
        (!channel_quirks(c) && channel_log(c)->level < LOG_INFO)) /* neither mended nor logged */
        return NULL;
    uint32_t *mended = malloc(count * sizeof *mended);
    if (!mended)
        return NULL;
    memcpy(mended, words, count * sizeof *mended);
    const uint32_t found = quirk_position(target, mended, count);
    if (found)
        log_message(channel_log(c), channel_quirks(c) ? LOG_WARNING : LOG_INFO,
                    "%s multiplies %u position words by w, a fault of the driver: --quirks (%s) %s",
                    name, found, quirks[QUIRK_POSITION].name,
                    channel_quirks(c) ? "takes the factor away" : "would take the factor away");
    if (found && channel_quirks(c))
        return mended;
    free(mended);
    return NULL;
}

/* True for a 3D program of a Fermi: its header lies in front of its code. */
static bool has_header(const struct channel *c, enum program_type type) {
    return type != PROGRAM_CP && channel_chipset(c) >= 0xc0;
}

static struct program *build_program(struct channel *c, enum program_type type, uint64_t segment,
                                     uint32_t start, uint32_t reg_count,
                                     const uint32_t sph[SPH_WORDS], uint32_t **original) {
    const enum isa_variant variant = isa_variant_from_chipset(channel_chipset(c));
    const uint64_t limit = isa_set_of(variant) == SET_TESLA ? SEGMENT_LIMIT : FERMI_SEGMENT_LIMIT;
    uint64_t extent = memory_extent(channel_memory(c), segment);
    extent = extent < limit ? extent : limit;
    struct code_walk w = {
        .target = {variant, type, SYNTAX_ENVYAS},
        .words = memory_at(channel_memory(c), segment, extent),
        .count = (uint32_t)(extent / 4),
    };
    const bool headed = has_header(c, type);
    start += headed ? 4 * SPH_WORDS : 0;
    if (!w.words || (segment & 3) || (start & 7) ||
        start / 4 >= w.count) /* the memory may have been freed meanwhile */
        return NULL;
    if (!find_extent(&w, start / 4)) {
        channel_lack_memory(c);
        log_message(channel_log(c), LOG_ERROR, "program at %05x: out of memory", start);
        return NULL;
    }
    struct attribute_rows rows;
    struct program_header header = {.reg_count = (uint16_t)(reg_count < 128 ? reg_count : 128)};
    if (headed && !sph_read(sph, type, &header, &rows) && channel_first_time(c, start, "header"))
        log_message(channel_log(c), LOG_WARNING,
                    "the header of the program at %05x is of another type", start);
    header.local_size = header.local_size > w.local ? header.local_size : w.local;
    char name[64];
    struct program_error error;
    snprintf(name, sizeof name, "%s@%05x", program_type_name(type), start);
    const uint32_t *words = w.words + w.first, count = w.last - w.first;
    uint32_t *mended = mend_words(c, w.target, words, count, name);
    const struct program_code code = {
        .words = mended ? mended : words,
        .word_count = count,
        .base = w.first * 4,
        .entry = start,
        .library = w.words + w.library_first,
        .library_words = w.library_last - w.library_first,
        .library_base = 4 * w.library_first,
        .rows = headed ? &rows : NULL,
    };
    struct program *p = program_from_code(type, variant, &header, &code, name, &error);
    *original = p ? mended : NULL;
    if (*original)
        memcpy(*original, words, count * sizeof **original);
    else
        free(mended);
    if (p) {
        if (channel_context(c)->device->fast)
            program_set_fast(p);
        list_program(c, p);
    } else { /* base and entry are aligned, so the only possible reason is a lack of memory */
        channel_lack_memory(c);
        log_message(channel_log(c), LOG_ERROR, "%s", error.text);
    }
    return p;
}

static void free_entry(struct code_entry *e) {
    program_unref(e->program);
    free(e->original);
}

struct program *code_find(struct code_cache *cache, struct channel *c, enum program_type type,
                          uint64_t segment, uint32_t start, uint32_t reg_count) {
    uint32_t sph[SPH_WORDS] = {0};
    const void *header = /* a hostile address may be unaligned */
        has_header(c, type) ? memory_at(channel_memory(c), segment + start, sizeof sph) : NULL;
    if (header)
        memcpy(sph, header, sizeof sph);
    struct code_entry *oldest = &cache->entry[0];
    for (int i = 0; i < CODE_CACHE; i++) {
        struct code_entry *e = &cache->entry[i];
        if (e->program && e->segment == segment && e->start == start && e->program->type == type &&
            e->program->header.reg_count == reg_count && is_unchanged(e, c)) {
            e->used = ++cache->now;
            return e->program;
        }
        if (e->used < oldest->used)
            oldest = e;
    }
    uint32_t *original = NULL;
    struct program *p = build_program(c, type, segment, start, reg_count, sph, &original);
    if (!p) {
        if (channel_first_time(c, start, "no program"))
            log_message(channel_log(c), LOG_WARNING,
                        "no program at %05x of the segment at %010" PRIx64, start, segment);
        return NULL;
    }
    free_entry(oldest);
    *oldest = (struct code_entry){.program = p,
                                  .original = original,
                                  .segment = segment,
                                  .start = start,
                                  .used = ++cache->now};
    memcpy(oldest->sph, sph, sizeof sph);
    return p;
}

void code_cache_free(struct code_cache *cache) {
    for (int i = 0; i < CODE_CACHE; i++)
        free_entry(&cache->entry[i]);
}
