/* Build tool: takes the stencils out of the object files of stencils*.c and writes them as a C file
 * (stencil.h). A relocation, instruction or symbol that the tool does not know is an error. Objects
 * behind `strips` contain the stencils of strips. usage: extract LEVEL OUTPUT OBJECT... [strips
 * OBJECT...]
 */
#include "shader/native/stencil.h"
#include "shader/native/x86.h"

#include <elf.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

enum { MAX_SECTIONS = 4096, MAX_PATCHES = 1 << 16, MAX_CODE = 1 << 20, MAX_POOL = 1 << 20 };

static const char *const hole_names[] = {
#define X(name) "HOLE_" #name,
    HOLE_LIST(X)
#undef X
};
static const char *const exit_names[] = {
#define X(name) #name,
    EXIT_LIST(X)
#undef X
};

static struct {
    uint8_t *file;
    const Elf64_Ehdr *header;
    const Elf64_Shdr *section;
    const char *section_names;
    const Elf64_Sym *symbol;
    size_t symbols;
    const char *symbol_names;
    int64_t pool_at[MAX_SECTIONS]; /* -1: not in the pool */
    uint8_t pool[MAX_POOL];
    size_t pool_size;
    uint8_t code[MAX_CODE];
    size_t code_size;
    struct stencil_patch patch[MAX_PATCHES];
    size_t patches;
    /* vector registers for a row (AVX-512: 2) or for a strip (1), whose fields are patched; 0: rows
     * are in memory */
    unsigned halves;
} in;

static _Noreturn void __attribute__((format(printf, 2, 3))) fail(const char *where,
                                                                 const char *format, ...) {
    va_list args;
    va_start(args, format);
    fprintf(stderr, "extract: %s: ", where);
    vfprintf(stderr, format, args);
    fputc('\n', stderr);
    va_end(args);
    exit(1);
}

static void read_object(const char *path) {
    FILE *file = fopen(path, "rb");
    if (!file)
        fail(path, "cannot be read");
    fseek(file, 0, SEEK_END);
    const size_t size = (size_t)ftell(file);
    rewind(file);
    in.file = malloc(size);
    if (!in.file || fread(in.file, 1, size, file) != size)
        fail(path, "cannot be read");
    fclose(file);
    in.header = (const void *)in.file;
    if (size < sizeof *in.header || memcmp(in.header->e_ident, ELFMAG, SELFMAG) != 0 ||
        in.header->e_machine != EM_X86_64 || in.header->e_type != ET_REL)
        fail(path, "is no x86-64 object file");
    in.section = (const void *)(in.file + in.header->e_shoff);
    if (in.header->e_shnum == 0 || in.header->e_shnum > MAX_SECTIONS)
        fail(path, "has an unforeseen number of sections");
    in.section_names = (char *)in.file + in.section[in.header->e_shstrndx].sh_offset;
    for (int i = 0; i < in.header->e_shnum; i++) {
        const Elf64_Shdr *s = &in.section[i];
        if (s->sh_type != SHT_SYMTAB)
            continue;
        in.symbol = (const void *)(in.file + s->sh_offset);
        in.symbols = s->sh_size / sizeof *in.symbol;
        in.symbol_names = (char *)in.file + in.section[s->sh_link].sh_offset;
    }
}

static const char *section_name(unsigned i) {
    return in.section_names + in.section[i].sh_name;
}

static void collect_pool(void) {
    for (int i = 0; i < in.header->e_shnum; i++) {
        const Elf64_Shdr *s = &in.section[i];
        in.pool_at[i] = -1;
        if (strncmp(section_name(i), ".rodata", 7) != 0 || s->sh_type != SHT_PROGBITS)
            continue;
        const size_t align = s->sh_addralign > 1 ? s->sh_addralign : 1;
        in.pool_size = (in.pool_size + align - 1) / align * align;
        if (align > 64 || in.pool_size + s->sh_size > MAX_POOL)
            fail(section_name(i), "does not fit the pool of constants");
        memcpy(in.pool + in.pool_size, in.file + s->sh_offset, s->sh_size);
        in.pool_at[i] = (int64_t)in.pool_size;
        in.pool_size += s->sh_size;
    }
}

static int find_name(const char *const *names, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(names[i], name) == 0)
            return (int)i;
    return -1;
}

/* ---- one stencil ---- */

struct body {
    const char *name;
    const uint8_t *code;
    size_t size;
    size_t hot, cold_at; /* end of the hot part, start of the cold part */
    size_t turned; /* byte of the distance of the branch that was turned around; 0: none was */
    const Elf64_Rela *rela;
    size_t relas;
    bool crowded;
    struct stencil s;
};

static void add_patch(struct body *b, size_t at, enum patch_kind kind, unsigned which,
                      int64_t addend) {
    const bool cold = at >= b->cold_at;
    if (in.patches == MAX_PATCHES || (at >= b->hot && !cold) || addend != (int32_t)addend)
        fail(b->name, "byte %zu cannot be patched", at);
    in.patch[in.patches++] = (struct stencil_patch){(uint16_t)(cold ? at - b->cold_at : at), cold,
                                                    kind, (uint8_t)which, (int32_t)addend};
    b->s.patches++;
}

static const char *symbol_name(const Elf64_Sym *s) {
    return in.symbol_names + s->st_name;
}

static const Elf64_Rela *relocation_at(const struct body *b, size_t at) {
    for (size_t i = 0; i < b->relas; i++)
        if (b->rela[i].r_offset == at)
            return &b->rela[i];
    return NULL;
}

static int exit_of(const Elf64_Rela *r) {
    return r ? find_name(exit_names, EXITS, symbol_name(&in.symbol[ELF64_R_SYM(r->r_info)])) : -1;
}

static void read_instruction(const struct body *b, size_t at, struct x86_instruction *i) {
    if (!x86_read(b->code + at, b->size - at, i))
        fail(b->name, "unforeseen instruction at byte %zu (%02x %02x %02x %02x %02x %02x)", at,
             b->code[at], b->code[at + 1], b->code[at + 2], b->code[at + 3], b->code[at + 4],
             b->code[at + 5]);
    if (i->short_jump)
        fail(b->name, "short jump at byte %zu", at);
}

/* Turns a branch to NEXT into one to the cold part with the opposite condition. */
static void turn_around(struct body *b, size_t at, const struct x86_instruction *i) {
    const size_t end = at + i->length;
    if (i->length != 6 || b->code[at] != 0x0f || (b->code[at + 1] & 0xf0) != 0x80)
        fail(b->name, "the branch at byte %zu cannot be turned around", at);
    in.file[&b->code[at + 1] - in.file] ^= 1;
    b->hot = b->cold_at = end;
    b->turned = end - 4;
}

/* Finds the end of the hot part: the first jump to NEXT, which is left out, or the first branch to
 * NEXT, which is turned around. */
static void split(struct body *b) {
    b->hot = b->cold_at = b->size;
    for (size_t at = 0; at < b->size;) {
        struct x86_instruction i;
        read_instruction(b, at, &i);
        at += i.length;
        if (i.jump == X86_JUMP && exit_of(relocation_at(b, at - 4)) == EXIT_NEXT) {
            b->hot = at - i.length;
            b->cold_at = at;
            return;
        }
        if (i.jump == X86_BRANCH && exit_of(relocation_at(b, at - 4)) == EXIT_NEXT) {
            turn_around(b, at - i.length, &i);
            return;
        }
    }
}

/* Patches jumps inside the stencil from one part to the other. */
static void patch_jump(struct body *b, size_t at, const struct x86_instruction *i) {
    const size_t end = at + i->length;
    if ((i->jump != X86_JUMP && i->jump != X86_BRANCH) || relocation_at(b, end - 4))
        return;
    int32_t distance;
    memcpy(&distance, b->code + end - 4, 4);
    const size_t to = end + (size_t)(int64_t)distance;
    const bool from_cold = at >= b->cold_at, to_cold = to >= b->cold_at;
    if (to > b->size || (to > b->hot && to < b->cold_at))
        fail(b->name, "jump at byte %zu leaves the stencil", at);
    if (from_cold && !to_cold)
        add_patch(b, end - 4, PATCH_HOT, 0, (int64_t)to);
    else if (!from_cold && to_cold)
        add_patch(b, end - 4, PATCH_COLD, 0, (int64_t)(to - b->cold_at));
}

/* Notes that the instruction's field f names an argument register, which will be renamed. */
static void note_argument(struct body *b, size_t at, const struct x86_instruction *i, unsigned f) {
    const bool vex3 = i->vex && b->code[at] == 0xc4;
    const unsigned n = i->number[f] * 2 / in.halves;
    if (i->evex || (vex3 && in.halves == 1))
        add_patch(b, f == X86_IS4 ? at + i->length - 1 : at, PATCH_REGISTER, n, f);
    else if (n >= RESULT_REGISTER && in.halves == 2)
        b->s.fixed |= (uint8_t)(1 << n);
    else
        fail(b->name, "source %u in an instruction at byte %zu that cannot be renamed", n, at);
}

/* True for stencils that write the registers of their third source on purpose. */
static bool is_in_place(const char *name) {
    return strcmp(name, "st_merge") == 0 || strcmp(name, "st_merge_not") == 0 ||
           strcmp(name, "st_nan_more") == 0 || strcmp(name, "st_nan_settle") == 0;
}

/* Notes the registers that an instruction names. A stencil that writes a source's register, for
 * want of free registers, is omitted: at run time that register may hold a value that is still
 * needed. */
static void note_registers(struct body *b, size_t at, const struct x86_instruction *i) {
    const unsigned arguments = ARGUMENT_REGISTERS / 2 * in.halves;
    const unsigned sources = RESULT_REGISTER / 2 * in.halves;
    if (!arguments || (!i->evex && !i->vex))
        return;
    if (i->unknown && in.halves == 1)
        fail(b->name, "unforeseen operands at byte %zu (map %u, %02x)", at, i->map, i->opcode);
    for (unsigned f = 0; f < X86_FIELDS; f++) {
        if (!(i->fields >> f & 1))
            continue;
        if (f == i->written && i->number[f] < sources && !is_in_place(b->name))
            b->crowded = true;
        if (i->number[f] < arguments)
            note_argument(b, at, i, f);
        else
            b->s.clobbers |= 1u << i->number[f];
    }
}

static void walk(struct body *b) {
    for (size_t at = 0; at < b->size;) {
        struct x86_instruction i;
        read_instruction(b, at, &i);
        if (at != b->hot || b->hot == b->cold_at) {
            patch_jump(b, at, &i);
            note_registers(b, at, &i);
        }
        at += i.length;
    }
}

static void patch_relocation(struct body *b, const Elf64_Rela *r) {
    const Elf64_Sym *symbol = &in.symbol[ELF64_R_SYM(r->r_info)];
    const char *name = symbol_name(symbol);
    const int hole = find_name(hole_names, HOLES, name);
    const int way = find_name(exit_names, EXITS, name);
    const unsigned type = ELF64_R_TYPE(r->r_info);
    if (r->r_offset >= b->hot && r->r_offset < b->cold_at)
        return; /* the jump that is left out */
    if (b->turned && r->r_offset == b->turned) {
        add_patch(b, b->turned, PATCH_COLD, 0, 0);
        return;
    }
    if (hole >= 0 && (type == R_X86_64_32 || type == R_X86_64_32S))
        add_patch(b, r->r_offset, PATCH_HOLE32, (unsigned)hole, r->r_addend);
    else if (hole >= 0 && type == R_X86_64_64)
        add_patch(b, r->r_offset, PATCH_HOLE64, (unsigned)hole, r->r_addend);
    else if (way >= 0 && (type == R_X86_64_PLT32 || type == R_X86_64_PC32))
        add_patch(b, r->r_offset, PATCH_EXIT, (unsigned)way, r->r_addend);
    else if (type == R_X86_64_PC32 && symbol->st_shndx < MAX_SECTIONS && symbol->st_shndx &&
             in.pool_at[symbol->st_shndx] >= 0)
        add_patch(b, r->r_offset, PATCH_POOL, 0,
                  in.pool_at[symbol->st_shndx] + (int64_t)symbol->st_value + r->r_addend);
    else
        fail(b->name, "unforeseen relocation of type %u to %s at byte %lu", type,
             *name ? name : section_name(symbol->st_shndx), (unsigned long)r->r_offset);
}

/* True for the steps of rows in registers and of strips. An operation without a stencil has a
 * handler; these steps have none. */
static bool is_step(const char *name) {
    static const char *const names[] = {
#define X(name) "st_" #name,
        STEP_REGISTER_LIST(X) STEP_STRIP_LIST(X)
#undef X
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(name, names[i]) == 0)
            return true;
    return false;
}

/* Reads a stencil. An omitted stencil has no hot part. */
static struct stencil read_stencil(const Elf64_Sym *symbol) {
    const Elf64_Shdr *s = &in.section[symbol->st_shndx];
    struct body b = {
        .name = symbol_name(symbol), .code = in.file + s->sh_offset, .size = s->sh_size};
    if (symbol->st_value != 0 || symbol->st_size != s->sh_size)
        fail(b.name, "does not fill its section");
    for (int i = 0; i < in.header->e_shnum; i++) {
        if (in.section[i].sh_type == SHT_RELA && in.section[i].sh_info == symbol->st_shndx) {
            b.rela = (const void *)(in.file + in.section[i].sh_offset);
            b.relas = in.section[i].sh_size / sizeof *b.rela;
        }
    }
    b.s.patch = (uint32_t)in.patches;
    b.s.code = (uint32_t)in.code_size;
    split(&b);
    walk(&b);
    if (b.crowded) {
        if (is_step(b.name))
            fail(b.name, "is needed, but would be omitted: it writes a source's register");
        in.patches = b.s.patch;
        return (struct stencil){0};
    }
    for (size_t i = 0; i < b.relas; i++)
        patch_relocation(&b, &b.rela[i]);
    b.s.hot = (uint16_t)b.hot;
    b.s.cold = (uint16_t)(b.size - b.cold_at);
    if (b.size > UINT16_MAX || in.code_size + b.size > MAX_CODE)
        fail(b.name, "is too large");
    memcpy(in.code + in.code_size, b.code, b.hot);
    memcpy(in.code + in.code_size + b.hot, b.code + b.cold_at, b.s.cold);
    in.code_size += b.hot + b.s.cold;
    return b.s;
}

/* ---- output ---- */

static void write_bytes(FILE *out, const char *name, const char *attribute, const uint8_t *data,
                        size_t size) {
    fprintf(out, "static const uint8_t %s[]%s = {", name, attribute);
    for (size_t i = 0; i < size; i++)
        fprintf(out, "%s%u,", i % 32 ? "" : "\n", data[i]);
    fprintf(out, "\n0};\n");
}

static void write_stencils(FILE *out) {
    for (size_t i = 0; i < in.symbols; i++) {
        const char *name = symbol_name(&in.symbol[i]);
        const unsigned section = in.symbol[i].st_shndx;
        if (strncmp(name, "st_", 3) == 0) {
            if (ELF64_ST_TYPE(in.symbol[i].st_info) != STT_FUNC)
                fail(name, "is called by a stencil");
            const struct stencil s = read_stencil(&in.symbol[i]);
            if (!s.hot)
                continue;
            fprintf(out, "[ST_%s] = {%u, %u, %u, %u, %u, %u, %uu},\n", name + 3, s.code, s.hot,
                    s.cold, s.patch, s.patches, s.fixed, s.clobbers);
        } else if (ELF64_ST_TYPE(in.symbol[i].st_info) == STT_FUNC && section != SHN_UNDEF &&
                   strncmp(section_name(section), ".text", 5) == 0) {
            fail(name, "is a function, but no stencil");
        }
    }
}

static void write_patches(FILE *out) {
    fprintf(out, "static const struct stencil_patch patch[] = {\n");
    for (size_t i = 0; i < in.patches; i++)
        fprintf(out, "{%u,%u,%u,%u,%d},\n", in.patch[i].at, in.patch[i].cold, in.patch[i].kind,
                in.patch[i].which, in.patch[i].addend);
    fprintf(out, "{0}};\n");
}

int main(int argc, char **argv) {
    if (argc < 4)
        fail("usage", "extract LEVEL OUTPUT OBJECT... [strips OBJECT...]");
    in.halves = strcmp(argv[1], "avx512") == 0 ? 2 : 0;
    char *text[2] = {NULL, NULL}; /* for whole rows, and for strips */
    size_t size[2];
    FILE *table[2] = {open_memstream(&text[0], &size[0]), open_memstream(&text[1], &size[1])};
    if (!table[0] || !table[1])
        fail(argv[2], "out of memory");
    bool strips = false;
    for (int i = 3; i < argc; i++) {
        if (strcmp(argv[i], "strips") == 0) {
            strips = true;
            in.halves = 1;
            continue;
        }
        read_object(argv[i]);
        collect_pool();
        write_stencils(table[strips]);
        free(in.file);
    }
    fclose(table[0]);
    fclose(table[1]);
    FILE *out = fopen(argv[2], "w");
    if (!out)
        fail(argv[2], "cannot be written");
    fprintf(out, "/* Made by shader/native/extract.c. */\n#include \"shader/native/stencil.h\"\n");
    write_bytes(out, "code", "", in.code, in.code_size);
    write_bytes(out, "pool", " __attribute__((aligned(64)))", in.pool, in.pool_size);
    write_patches(out);
    if (strips)
        fprintf(out, "static const struct stencil strips[STENCILS] = {\n%s};\n", text[1]);
    fprintf(
        out,
        "const struct stencil_set stencils_%s = {code, %zu, %zu, patch, pool, %zu, %s, {\n%s}};\n",
        argv[1], in.code_size, in.patches, in.pool_size, strips ? "strips" : "NULL", text[0]);
    free(text[0]);
    free(text[1]);
    if (fclose(out))
        fail(argv[2], "cannot be written");
    return 0;
}
