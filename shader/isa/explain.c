/* Sentences about instructions (shader/isa/isa.h). In: the sentences of explain.inc, the encoding
 * tables. Out: text. Must not know an instruction.
 */

#include "shader/isa/table.h"

#include <ctype.h>
#include <strings.h>

static const struct entry {
    uint8_t code; /* enum opcode */
    const char *words, *sentence;
} entries[] = {
#define X(code, words, sentence) {OP_##code, words, sentence},
#include "shader/isa/explain.inc"
#undef X
};
enum { ENTRIES = sizeof entries / sizeof *entries, TEXT = 512, NAME = 24 };

static const char letters[] = "DABC";

/* ---- fields ---------------------------------------------------------------------------------- */

int isa_field_operand(const struct field *f) {
    switch (f->kind) {
    case FIELD_REG:
    case FIELD_SAME_REG:
    case FIELD_DST:
    case FIELD_S1:
    case FIELD_S2:
    case FIELD_S3:
    case FIELD_IMM:
    case FIELD_ADDR_REG:
    case FIELD_SPECIAL:
    case FIELD_MEMORY:
    case FIELD_GLOBAL:
    case FIELD_FLAGS_SRC:
    case PLAIN_REG:
    case PLAIN_SOURCE:
    case PLAIN_THIRD:
    case PLAIN_SHORT_SRC:
    case PLAIN_IMM:
    case PLAIN_SPECIAL:
    case PLAIN_MEMORY:
    case PLAIN_VECTOR:
    case DOT_REG:
    case DOT_SOURCE:
    case DOT_THIRD:
    case DOT_IMM:
    case DOT_EITHER:
    case DOT_MEMORY:
    case DOT_SPECIAL:
        return f->slot;
    }
    return -1;
}

int isa_field_sign(const struct field *f) {
    if (f->kind != FIELD_FLAG && f->kind != PLAIN_FLAG)
        return -1;
    for (int i = 0; i < 3; i++)
        if (f->member == offsetof(struct op, src[0].flags) + (size_t)i * sizeof(struct operand) &&
            f->value)
            return 1 + i;
    return -1;
}

static bool is_literal(const struct field *f) {
    return f->kind == FIELD_WORD || f->kind == FIELD_FIXED || f->kind == PLAIN_WORD;
}

static bool is_choice_field(const struct field *f) {
    return f->kind == FIELD_CHOICE || f->kind == PLAIN_CHOICE || f->kind == PLAIN_SHARED ||
           f->kind == DOT_CHOICE;
}

static bool is_flag(const struct field *f) {
    return f->kind == FIELD_FLAG || f->kind == PLAIN_FLAG || f->kind == DOT_FLAG;
}

/* The field that names the instruction: its first word. */
static const struct field *name_field(const struct isa *isa, const struct encoding_row *row) {
    for (const uint16_t *f = row->fields; *f; f++)
        if (is_literal(&isa->fields[*f]) || is_choice_field(&isa->fields[*f]))
            return &isa->fields[*f];
    return NULL;
}

/* The i-th word that a field can write; NULL behind the last word, "" for a word that is not
 * written. */
static const char *field_word(const struct field *f, unsigned i) {
    if (is_literal(f) || is_flag(f))
        return i ? NULL : f->word;
    if (!is_choice_field(f) || i >= 1u << (f->len + f->len2))
        return NULL;
    return f->choice[i].name ? f->choice[i].name : "";
}

static bool field_writes(const struct field *f, const char *word, size_t length) {
    const char *w;
    for (unsigned i = 0; (w = field_word(f, i)); i++)
        if (strlen(w) == length && strncmp(w, word, length) == 0)
            return true;
    return false;
}

/* True if an instruction of this row, by this name, can have all the words. */
static bool row_has_words(const struct isa *isa, const struct encoding_row *row, const char *name,
                          const char *words) {
    const struct field *const named = name_field(isa, row);
    for (const char *w = words; *w; w += strspn(w, " ")) {
        const size_t length = strcspn(w, " ");
        bool found = strlen(name) == length && strncmp(name, w, length) == 0;
        for (const uint16_t *f = row->fields; !found && *f; f++)
            found = &isa->fields[*f] != named && field_writes(&isa->fields[*f], w, length);
        if (!found)
            return false;
        w += length;
    }
    return true;
}

/* True if instructions of this row may be without the words: a flag writes one of them. */
static bool words_are_optional(const struct isa *isa, const struct encoding_row *row,
                               const char *words) {
    for (const char *w = words; *w; w += strspn(w, " ")) {
        const size_t length = strcspn(w, " ");
        for (const uint16_t *f = row->fields; *f; f++)
            if (is_flag(&isa->fields[*f]) && field_writes(&isa->fields[*f], w, length))
                return true;
        w += length;
    }
    return false;
}

/* True if the entry's sentence describes instructions of this row and name: the instructions can
 * have the entry's words. An entry without words serves instructions that can be without the words
 * of every earlier entry. */
static bool entry_fits(const struct isa *isa, const struct encoding_row *row, const char *name,
                       const struct entry *entry) {
    if (entry->code != row->code || !row_has_words(isa, row, name, entry->words))
        return false;
    for (const struct entry *e = entries; !*entry->words && e < entry; e++)
        if (e->code == row->code && row_has_words(isa, row, name, e->words) &&
            !words_are_optional(isa, row, e->words))
            return false;
    return true;
}

/* ---- one instruction ------------------------------------------------------------------------- */

static bool text_has_words(const char *text, const char *words) {
    static const char between[] = " .,()";
    for (const char *w = words; *w; w += strspn(w, " ")) {
        const size_t length = strcspn(w, " ");
        bool found = false;
        for (const char *t = text; *t && !found; t += strspn(t, between)) {
            const size_t n = strcspn(t, between);
            found = n == length && strncmp(t, w, n) == 0;
            t += n;
        }
        if (!found)
            return false;
        w += length;
    }
    return true;
}

/* The operand's number if a letter that stands for an operand is at s[i]; otherwise -1. */
static int letter_at(const char *s, size_t i) {
    const bool alone =
        (i == 0 || !isalnum((unsigned char)s[i - 1])) && !isalnum((unsigned char)s[i + 1]);
    const char *const letter = alone ? memchr(letters, s[i], 4) : NULL;
    return letter ? (int)(letter - letters) : -1;
}

static void append(char *text, size_t size, const char *more, size_t length) {
    const size_t used = strlen(text);
    snprintf(text + used, size - used, "%.*s", (int)length, more);
}

/* Writes an operand with signs in place of words: -|$r3|. Returns its length. */
static int operand_text(struct isa_target target, const struct op *op, int slot, char *text,
                        size_t size) {
    static const struct {
        const char *word, *sign;
    } signs[] = {{"neg ", "-"}, {"abs ", "|"}, {"not ", "~"}};
    char words[64];
    bool bar = false;
    isa_print_operand(target, op, (unsigned)slot, words, sizeof words);
    const char *from = words + strspn(words, " "); /* generic64 prints a blank before an operand */
    text[0] = 0;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strncmp(from, signs[i].word, 4) == 0) {
            append(text, size, signs[i].sign, 1);
            bar |= signs[i].sign[0] == '|';
            from += 4;
        }
    append(text, size, from, strlen(from));
    append(text, size, "|", bar);
    return (int)strlen(text);
}

/* Copies a part of a sentence with operands in place of letters. False if one of the operands is
 * missing. */
static bool substitute(struct isa_target target, const struct op *op, const char *part,
                       size_t length, char *text, size_t size) {
    bool complete = true;
    for (size_t i = 0; i < length; i++) {
        char operand[64];
        const int slot = letter_at(part, i);
        if (slot >= 0 && operand_text(target, op, slot, operand, sizeof operand))
            append(text, size, operand, strlen(operand));
        else
            append(text, size, part + i, 1);
        complete &= slot < 0 || operand[0];
    }
    return complete;
}

/* Adds sentences about join and exit, which any instruction may have. */
static void explain_flags(struct isa_target target, const struct op *op, char *text, size_t size) {
    const bool before = isa_set_of(target.variant) == SET_TESLA;
    const char *const join = !op->join || op->code == OP_ILLEGAL ? ""
                             : before ? " First, lanes wait here for those that took another way."
                                      : " Then its lanes wait where the ways meet.";
    const char *const exit = op->exit ? " Then the threads end." : "";
    append(text, size, join, strlen(join));
    append(text, size, exit, strlen(exit));
}

void isa_explain_op(struct isa_target target, const struct op *op, char *text, size_t size) {
    char source[TEXT];
    target.syntax = SYNTAX_ENVYAS;
    isa_print(target, op, source, sizeof source);
    text[0] = 0;
    const struct entry *e = entries;
    while (e < entries + ENTRIES && (e->code != op->code || !text_has_words(source, e->words)))
        e++;
    if (e == entries + ENTRIES)
        return;
    for (const char *s = e->sentence; *s;) {
        const size_t length = strcspn(s, "[");
        const bool optional = *s == '[' && strchr(s, ']') && strncmp(s, "[]", 2) != 0 &&
                              strncmp(s, "[0:7]", 5) != 0 && strncmp(s, "[8:15]", 6) != 0;
        if (optional) {
            char part[TEXT] = "";
            const size_t inner = strcspn(s, "]") - 1;
            if (substitute(target, op, s + 1, inner, part, sizeof part))
                append(text, size, part, strlen(part));
            s += inner + 2;
        } else {
            const size_t n = length ? length : 1;
            substitute(target, op, s, n, text, size);
            s += n;
        }
    }
    explain_flags(target, op, text, size);
}

/* ---- forms ----------------------------------------------------------------------------------- */

/* The text that stands, in the form of an instruction, for fields that are neither words nor
 * operands. */
static const char *const placeholders[FIELD_KINDS] = {
    [FIELD_CARRY] = "[$c]",
    [FIELD_FLAGS_DST] = "[$c]",
    [FIELD_FLAGS_OUT] = "$c",
    [FIELD_NUMBER] = "N",
    [FIELD_TARGET] = "ADDRESS",
    [FIELD_TEX_DST] = "{RESULTS}",
    [FIELD_TEX_SRC] = "{SOURCES}",
    [FIELD_TEX_OFFSET] = "OFFSET",
    [PLAIN_FLAGS_OUT] = "[$c]",
    [PLAIN_CARRY] = "[$c]",
    [PLAIN_NUMBER] = "N",
    [PLAIN_PDST] = "$p",
    [PLAIN_PSRC] = "$p",
    [PLAIN_PLOGIC] = "[and $p]",
    [PLAIN_PPAIR] = "$p and $p",
    [PLAIN_TARGET] = "ADDRESS",
    [PLAIN_MASKED] = "RESULTS",
    [PLAIN_TEX1] = "SOURCES",
    [PLAIN_TEX2] = "SOURCES",
    [DOT_NUMBER] = "N",
    [DOT_PRED] = "P",
    [DOT_TARGET] = "ADDRESS",
    [DOT_TEST] = "CC",
    [DOT_TEXTURE] = "TEXTURE:SAMPLER:MASK",
};

/* A choice between words: "(u32|s32)"; "[ca|cg]" if the word may be left out. Long lists are
 * cut. */
static void append_choice(const struct field *f, char *text, size_t size) {
    char list[TEXT] = "";
    bool absent = false;
    unsigned count = 0;
    const char *w;
    for (unsigned i = 0; (w = field_word(f, i)); i++) {
        char with[2 * NAME];
        snprintf(with, sizeof with, "|%s|", w);
        absent |= !*w && f->choice[i].name;
        if (!*w || strstr(list, with))
            continue;
        if (count++ < 8)
            append(list, sizeof list, with + !!*list, strlen(with) - !!*list);
    }
    if (count > 8)
        append(list, sizeof list, "...|", 4);
    if (!count)
        return;
    list[strlen(list) - 1] = 0; /* the last bar */
    const bool plain = count == 1 && !absent;
    append(text, size, plain ? "" : absent ? "[" : "(", 1);
    if (absent && f->kind == DOT_CHOICE)
        append(text, size, ".", 1);
    append(text, size, list + 1, strlen(list));
    append(text, size, plain ? "" : absent ? "]" : ")", 1);
}

static void append_operand(const struct field *f, int slot, char *text, size_t size) {
    char operand[NAME];
    const char *const space = f->kind == FIELD_MEMORY   ? isa_memory_name(f->file)
                              : f->kind == FIELD_GLOBAL ? "g"
                              : f->kind == PLAIN_MEMORY ? f->space->name
                                                        : "";
    const bool memory = *space || f->kind == DOT_MEMORY;
    snprintf(operand, sizeof operand, memory ? "%s[%c]" : "%s%c", space, letters[slot & 3]);
    append(text, size, operand, strlen(operand));
}

/* The first of the words that the field can write, or NULL. */
static const char *word_of(const struct field *f, const char *words, size_t *length) {
    for (const char *w = words; *w; w += strspn(w, " ")) {
        *length = strcspn(w, " ");
        if (field_writes(f, w, *length))
            return w;
        w += *length;
    }
    return NULL;
}

/* Adds a word or an operand, separated as in the notation: "add b32 D A", "ADD.U D, A". */
static void append_part(const struct isa *isa, const char *part, bool modifier, unsigned *operands,
                        char *text, size_t size) {
    const size_t used = strlen(text);
    const bool close = part[0] == ')' || (used && text[used - 1] == '(');
    if (!*part)
        return;
    if (isa->dotted && used && modifier)
        append(text, size, ".", *part != '[');
    else if (isa->dotted && used)
        append(text, size, ", ", (*operands)++ ? 2 : 0);
    if (used && !close && !(isa->dotted && (modifier || *operands > 1)))
        append(text, size, " ", 1);
    append(text, size, part, strlen(part));
}

/* Writes the form of a row: words, choices, operands as letters. A choice or flag that can write
 * one of `words` shows that word. */
static void form_text(const struct isa *isa, const struct encoding_row *row, const char *name,
                      const char *words, char *text, size_t size) {
    unsigned operands = 0;
    const struct field *const named = name_field(isa, row);
    text[0] = 0;
    for (const uint16_t *at = row->fields; *at; at++) {
        const struct field *const f = &isa->fields[*at];
        const int slot = isa_field_operand(f);
        const char *chosen;
        size_t length;
        char part[TEXT] = "";
        if (f == named)
            append(part, sizeof part, name, strlen(name));
        else if (slot >= 0)
            append_operand(f, slot, part, sizeof part);
        else if (is_literal(f))
            append(part, sizeof part, f->word, strlen(f->word));
        else if ((is_choice_field(f) || is_flag(f)) && (chosen = word_of(f, words, &length)))
            append(part, sizeof part, chosen, length);
        else if (is_choice_field(f))
            append_choice(f, part, sizeof part);
        else if (f->kind == FIELD_FLAG || f->kind == PLAIN_FLAG)
            snprintf(part, sizeof part, "[%s]", f->word);
        else if (f->kind == DOT_FLAG)
            snprintf(part, sizeof part, "[.%s]", f->word);
        else if (f->kind == FIELD_TEX_UNIT || f->kind == PLAIN_UNIT)
            snprintf(part, sizeof part, "%sN", f->word ? f->word : "$t");
        else if (placeholders[f->kind])
            append(part, sizeof part, placeholders[f->kind], strlen(placeholders[f->kind]));
        append_part(isa, part, f->kind == DOT_CHOICE || f->kind == DOT_FLAG, &operands, text, size);
    }
}

/* ---- names and sets -------------------------------------------------------------------------- */

enum { FORMS_MOST = 48 };

/* Prints the forms by this name that the entry describes; true if there are any. */
static bool print_forms(struct isa_target target, const struct entry *entry, const char *name,
                        FILE *to) {
    const struct isa *const isa = isa_of(target.variant);
    char forms[FORMS_MOST][TEXT];
    unsigned count = 0;
    for (unsigned i = 0; i < isa->row_count && count < FORMS_MOST; i++) {
        const struct encoding_row *const row = &isa->rows[i];
        const struct field *const named = name_field(isa, row);
        if (!(row->variants >> target.variant & 1))
            continue;
        const char *word;
        for (unsigned k = 0; named && count < FORMS_MOST && (word = field_word(named, k)); k++) {
            if (strcasecmp(word, name) != 0 || !entry_fits(isa, row, word, entry))
                continue;
            form_text(isa, row, word, entry->words, forms[count], TEXT);
            bool known = false;
            for (unsigned j = 0; j < count; j++)
                known |= strcmp(forms[j], forms[count]) == 0;
            if (!known && count == 0)
                fprintf(to, "%s\n", entry->sentence);
            if (!known)
                fprintf(to, "    %s\n", forms[count++]);
        }
    }
    return count > 0;
}

/* The operation of the first instruction with this name in asfermi's notation, or OP_ILLEGAL. The
 * table of the notation has no operations, so the instruction's words are decoded. */
static enum opcode asfermi_code(struct isa_target target, const char *name, struct op *op) {
    for (unsigned i = 0; i < isa_asfermi.row_count; i++) {
        const struct encoding_row *const row = &isa_asfermi.rows[i];
        const struct field *const named = name_field(&isa_asfermi, row);
        const uint32_t words[2] = {row->bits[0] | 7u << 10, row->bits[1]}; /* guard: true */
        if (!named || strcasecmp(field_word(named, 0), name) != 0)
            continue;
        isa_decode(target, words, 2, 0, op);
        if (op->code != OP_ILLEGAL)
            return op->code;
    }
    return OP_ILLEGAL;
}

bool isa_explain_name(struct isa_target target, const char *name, FILE *to) {
    char envyas[TEXT] = "", envyas_name[NAME], first[NAME];
    bool found = false;
    if (target.syntax == SYNTAX_ASFERMI) {
        struct op op;
        target.syntax = SYNTAX_ENVYAS;
        if (asfermi_code(target, name, &op) == OP_ILLEGAL)
            return false;
        isa_print(target, &op, envyas, sizeof envyas);
        fprintf(to, "%s is written in envyas as: %s\n", name, envyas);
        const char *word = envyas;
        while (*word == '(' || *word == '$') /* guards */
            word += strcspn(word, " ") + 1;
        snprintf(envyas_name, sizeof envyas_name, "%.*s", (int)strcspn(word, " "), word);
        name = envyas_name;
    }
    const int length = (int)strcspn(name, " ");
    snprintf(first, sizeof first, "%.*s", length, name);
    for (const struct entry *e = entries; e < entries + ENTRIES; e++)
        /* a name of several words, such as "vote any", selects the entry with the name's words */
        if (!name[length] || strcasecmp(e->words, name) == 0)
            found |= print_forms(target, e, first, to);
    return found;
}

static void add_name(char *names, size_t size, const char *name) {
    char quoted[2 * NAME];
    snprintf(quoted, sizeof quoted, "`%s`", name);
    if (strstr(names, quoted))
        return;
    if (*names)
        append(names, size, ", ", 2);
    append(names, size, quoted, strlen(quoted));
}

void isa_explain_set(struct isa_target target, FILE *to) {
    const struct isa *const isa = isa_of(target.variant);
    static const char *const classes[] = {
        [CLASS_MOVE] = "move",        [CLASS_MEMORY] = "memory",
        [CLASS_INTEGER] = "integers", [CLASS_CONVERSION] = "conversion",
        [CLASS_FLOAT] = "floats",     [CLASS_FUNCTION] = "function",
        [CLASS_DOUBLE] = "doubles",   [CLASS_PREDICATE] = "predicates",
        [CLASS_WARP] = "warp",        [CLASS_GRAPHICS] = "graphics",
        [CLASS_TEXTURE] = "texture",  [CLASS_NOTHING] = "no result",
        [CLASS_CONTROL] = "control"};
    fprintf(to, "| instruction | of | does |\n|---|---|---|\n");
    for (const struct entry *e = entries; e < entries + ENTRIES; e++) {
        char names[TEXT] = "";
        for (unsigned i = 0; i < isa->row_count; i++) {
            const struct encoding_row *const row = &isa->rows[i];
            const struct field *const named = name_field(isa, row);
            const char *word;
            for (unsigned k = 0; named && (word = field_word(named, k)); k++)
                if (*word && entry_fits(isa, row, word, e))
                    add_name(names, sizeof names, strchr(e->words, ' ') ? e->words : word);
        }
        if (!*names)
            continue;
        fprintf(to, "| %s | %s | ", names, classes[op_infos[e->code].class]);
        for (const char *c = e->sentence; *c; c++)
            fprintf(to, *c == '|' ? "\\|" : "%c", *c);
        fprintf(to, " |\n");
    }
}
