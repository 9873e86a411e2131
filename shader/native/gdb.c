/* gdb's interface for just-in-time compilers: an ELF file in memory for each program's code, with a
 * symbol for the code of each instruction, in a list that gdb finds by two symbols. In: code and
 * its symbols. Knows no instruction. Names and layouts are those of gdb's manual ("JIT Compilation
 * Interface").
 */
#include "shader/native/summary.h"

#include <elf.h>
#include <pthread.h>
#include <stdlib.h>

enum { JIT_NOACTION, JIT_REGISTER, JIT_UNREGISTER };

struct gdb_entry {
    struct gdb_entry *next, *prev;
    const char *file; /* the ELF file, which follows this entry in memory */
    uint64_t size;
};

struct jit_descriptor {
    uint32_t version, action;
    struct gdb_entry *relevant, *first;
};

struct jit_descriptor __jit_debug_descriptor = {.version = 1};
void __jit_debug_register_code(void);

/* gdb sets a breakpoint here. */
__attribute__((noinline)) void __jit_debug_register_code(void) {
    __asm__ volatile("" : : : "memory");
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void tell(struct gdb_entry *entry, uint32_t action) {
    __jit_debug_descriptor.relevant = entry;
    __jit_debug_descriptor.action = action;
    __jit_debug_register_code();
    __jit_debug_descriptor.action = JIT_NOACTION;
    __jit_debug_descriptor.relevant = NULL;
}

/* ---- the ELF file ---- */

enum { SECTION_NONE, SECTION_TEXT, SECTION_SYMBOLS, SECTION_NAMES, SECTIONS };

/* The ELF file: this head, then the symbols, then the names. */
struct file_head {
    Elf64_Ehdr header;
    Elf64_Shdr section[SECTIONS];
};

/* The names of sections, at the start of the one string table; names of symbols follow. */
static const char section_names[] = "\0.text\0.symtab\0.strtab";
enum { NAME_TEXT = 1, NAME_SYMBOLS = 7, NAME_NAMES = 15 };

static void fill_header(Elf64_Ehdr *h) {
    memcpy(h->e_ident, ELFMAG, SELFMAG);
    h->e_ident[EI_CLASS] = ELFCLASS64;
    h->e_ident[EI_DATA] = ELFDATA2LSB;
    h->e_ident[EI_VERSION] = EV_CURRENT;
    h->e_type = ET_EXEC;
    h->e_machine = EM_X86_64;
    h->e_version = EV_CURRENT;
    h->e_ehsize = sizeof *h;
    h->e_shoff = offsetof(struct file_head, section);
    h->e_shentsize = sizeof(Elf64_Shdr);
    h->e_shnum = SECTIONS;
    h->e_shstrndx = SECTION_NAMES;
}

static void fill_sections(Elf64_Shdr *s, const struct native_code *code, size_t symbols,
                          size_t names) {
    s[SECTION_TEXT] = (Elf64_Shdr){.sh_name = NAME_TEXT,
                                   .sh_type = SHT_NOBITS,
                                   .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
                                   .sh_addr = (uintptr_t)code->memory,
                                   .sh_size = code->size,
                                   .sh_addralign = 1};
    s[SECTION_SYMBOLS] = (Elf64_Shdr){.sh_name = NAME_SYMBOLS,
                                      .sh_type = SHT_SYMTAB,
                                      .sh_offset = sizeof(struct file_head),
                                      .sh_size = symbols,
                                      .sh_link = SECTION_NAMES,
                                      .sh_info = 1,
                                      .sh_addralign = 8,
                                      .sh_entsize = sizeof(Elf64_Sym)};
    s[SECTION_NAMES] = (Elf64_Shdr){.sh_name = NAME_NAMES,
                                    .sh_type = SHT_STRTAB,
                                    .sh_offset = sizeof(struct file_head) + symbols,
                                    .sh_size = names,
                                    .sh_addralign = 1};
}

static size_t names_size(const struct gdb_symbol *named, uint32_t count) {
    size_t size = sizeof section_names;
    for (uint32_t i = 0; i < count; i++)
        size += strlen(named[i].name) + 1;
    return size;
}

static void fill_symbols(const struct native_code *code, const struct gdb_symbol *named,
                         uint32_t count, Elf64_Sym *symbol, char *names) {
    size_t used = sizeof section_names;
    memcpy(names, section_names, sizeof section_names);
    for (uint32_t i = 0; i < count; i++) {
        symbol[i + 1] = (Elf64_Sym){.st_name = (uint32_t)used,
                                    .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
                                    .st_shndx = SECTION_TEXT,
                                    .st_value = (uintptr_t)code->memory + named[i].at,
                                    .st_size = named[i].size};
        strcpy(names + used, named[i].name);
        used += strlen(named[i].name) + 1;
    }
}

static struct gdb_entry *make_entry(const struct native_code *code, const struct gdb_symbol *named,
                                    uint32_t count) {
    const size_t symbols = (count + 1ull) * sizeof(Elf64_Sym), names = names_size(named, count);
    const size_t size = sizeof(struct file_head) + symbols + names;
    struct gdb_entry *e = calloc(1, sizeof *e + size);
    if (!e)
        return NULL;
    struct file_head *file = (struct file_head *)(e + 1);
    Elf64_Sym *symbol = (Elf64_Sym *)(file + 1);
    e->file = (char *)file;
    e->size = size;
    fill_header(&file->header);
    fill_sections(file->section, code, symbols, names);
    fill_symbols(code, named, count, symbol, (char *)symbol + symbols);
    return e;
}

/* ---- the list ---- */

bool gdb_register(struct native_code *code, const struct gdb_symbol *named, uint32_t count) {
    struct gdb_entry *e = make_entry(code, named, count);
    if (!e)
        return false;
    code->gdb = e;
    pthread_mutex_lock(&lock);
    e->next = __jit_debug_descriptor.first;
    if (e->next)
        e->next->prev = e;
    __jit_debug_descriptor.first = e;
    tell(e, JIT_REGISTER);
    pthread_mutex_unlock(&lock);
    return true;
}

void gdb_unregister(struct native_code *code) {
    struct gdb_entry *e = code->gdb;
    if (!e)
        return;
    pthread_mutex_lock(&lock);
    if (e->prev)
        e->prev->next = e->next;
    else
        __jit_debug_descriptor.first = e->next;
    if (e->next)
        e->next->prev = e->prev;
    tell(e, JIT_UNREGISTER);
    pthread_mutex_unlock(&lock);
    code->gdb = NULL;
    free(e);
}
