/* The compiler: lowers a program to calls of handlers, links their bitcode, lets LLVM inline and
 * optimise, and places the machine code. See compiler.h.
 */
#include "shader/jit/compiler.h"

#include "shader/jit/lower.h"

#include <stdio.h>
#include <stdlib.h>

struct compiler {
    const struct llvm *llvm;
    enum simd_level simd;
    LLVMContextRef context;
    LLVMTargetMachineRef machine;
    LLVMMemoryBufferRef handlers; /* bitcode: every function can be linked by name, none must */
    LLVMOrcLLJITRef jit;
    unsigned compiled; /* makes names unique */
};

struct compiled_code {
    LLVMOrcResourceTrackerRef tracker;
};

/* The bitcode of handlers.c, one build per level. */
#define X(level) extern const uint8_t handlers_bc_##level[], handlers_bc_##level##_end[];
X(base) X(avx2) X(avx512)
#undef X
static const struct {
    const uint8_t *start, *end;
    const char *cpu;
} levels[SIMD_LEVELS] = {
    [SIMD_BASE] = {handlers_bc_base, handlers_bc_base_end, "x86-64"},
    [SIMD_AVX2] = {handlers_bc_avx2, handlers_bc_avx2_end, "x86-64-v3"},
    [SIMD_AVX512] = {handlers_bc_avx512, handlers_bc_avx512_end, "x86-64-v4"},
};

/* Puts LLVM's message into error; false. */
static bool refused(const struct llvm *llvm, LLVMErrorRef failure, char *error, size_t size) {
    char *text = llvm->GetErrorMessage(failure);
    snprintf(error, size, "LLVM: %s", text);
    llvm->DisposeErrorMessage(text);
    return false;
}

static bool make_machine(struct compiler *c, char *error, size_t size) {
    const struct llvm *llvm = c->llvm;
    char *triple = llvm->GetDefaultTargetTriple(), *text = NULL;
    LLVMTargetRef target;
    if (llvm->GetTargetFromTriple(triple, &target, &text)) {
        snprintf(error, size, "LLVM: %s", text);
        llvm->DisposeMessage(text);
    } else {
        c->machine = llvm->CreateTargetMachine(target, triple, levels[c->simd].cpu, "",
                                               LLVMCodeGenLevelDefault, LLVMRelocPIC,
                                               LLVMCodeModelJITDefault);
        if (!c->machine)
            snprintf(error, size, "LLVM: no code for %s", triple);
    }
    llvm->DisposeMessage(triple);
    return c->machine;
}

/* Functions become link-once, so that linking takes those that are called and leaves the others. */
static bool load_handlers(struct compiler *c, char *error, size_t size) {
    const struct llvm *llvm = c->llvm;
    const uint8_t *start = levels[c->simd].start;
    LLVMMemoryBufferRef buffer = llvm->CreateMemoryBufferWithMemoryRange(
        (const char *)start, (size_t)(levels[c->simd].end - start), "handlers", 0);
    LLVMModuleRef module;
    const LLVMBool bad = llvm->ParseBitcodeInContext2(c->context, buffer, &module);
    llvm->DisposeMemoryBuffer(buffer);
    if (bad) {
        snprintf(error, size, "LLVM cannot read the handlers' bitcode");
        return false;
    }
    for (LLVMValueRef f = llvm->GetFirstFunction(module); f; f = llvm->GetNextFunction(f))
        if (!llvm->IsDeclaration(f))
            llvm->SetLinkage(f, LLVMLinkOnceODRLinkage);
    c->handlers = llvm->WriteBitcodeToMemoryBuffer(module);
    llvm->DisposeModule(module);
    return true;
}

/* What handlers.c leaves outside the bitcode. */
static const struct {
    const char *name;
    void *at[SIMD_LEVELS];
} natives[] = {
#define X(name) {#name, {(void *)name##_base, (void *)name##_avx2, (void *)name##_avx512}},
    X(exec_load_operand) X(exec_interp) X(exec_varying)
#undef X
};
enum { NATIVES = sizeof natives / sizeof *natives };

static bool define_natives(struct compiler *c, char *error, size_t size) {
    const struct llvm *llvm = c->llvm;
    LLVMOrcCSymbolMapPair pair[NATIVES];
    for (int i = 0; i < NATIVES; i++) {
        char name[64];
        snprintf(name, sizeof name, "%s_%s", natives[i].name, simd_name(c->simd));
        pair[i].Name = llvm->OrcLLJITMangleAndIntern(c->jit, name);
        pair[i].Sym = (LLVMJITEvaluatedSymbol){
            (uintptr_t)natives[i].at[c->simd],
            {LLVMJITSymbolGenericFlagsExported | LLVMJITSymbolGenericFlagsCallable, 0}};
    }
    LLVMOrcMaterializationUnitRef unit = llvm->OrcAbsoluteSymbols(pair, NATIVES);
    LLVMErrorRef failure = llvm->OrcJITDylibDefine(llvm->OrcLLJITGetMainJITDylib(c->jit), unit);
    if (!failure)
        return true;
    llvm->OrcDisposeMaterializationUnit(unit);
    return refused(llvm, failure, error, size);
}

static bool make_jit(struct compiler *c, char *error, size_t size) {
    const struct llvm *llvm = c->llvm;
    LLVMErrorRef failure = llvm->OrcCreateLLJIT(&c->jit, NULL);
    if (failure)
        return refused(llvm, failure, error, size);
    LLVMOrcDefinitionGeneratorRef process;
    failure = llvm->OrcCreateDynamicLibrarySearchGeneratorForProcess(
        &process, llvm->OrcLLJITGetGlobalPrefix(c->jit), NULL, NULL);
    if (failure)
        return refused(llvm, failure, error, size);
    llvm->OrcJITDylibAddGenerator(llvm->OrcLLJITGetMainJITDylib(c->jit), process);
    return define_natives(c, error, size);
}

bool compiler_open(char *error, size_t error_size) {
    return llvm_open(error, error_size);
}

struct compiler *compiler_create(enum simd_level simd, char *error, size_t error_size) {
    const struct llvm *llvm = llvm_open(error, error_size);
    struct compiler *c = llvm ? calloc(1, sizeof *c) : NULL;
    if (!c) {
        if (llvm)
            snprintf(error, error_size, "out of memory");
        return NULL;
    }
    c->llvm = llvm;
    c->simd = simd;
    c->context = llvm->ContextCreate();
    if (make_machine(c, error, error_size) && load_handlers(c, error, error_size) &&
        make_jit(c, error, error_size))
        return c;
    compiler_destroy(c);
    return NULL;
}

void compiler_destroy(struct compiler *c) {
    if (!c)
        return;
    if (c->jit) {
        LLVMErrorRef failure = c->llvm->OrcDisposeLLJIT(c->jit);
        if (failure)
            c->llvm->DisposeErrorMessage(c->llvm->GetErrorMessage(failure));
    }
    if (c->handlers)
        c->llvm->DisposeMemoryBuffer(c->handlers);
    if (c->machine)
        c->llvm->DisposeTargetMachine(c->machine);
    c->llvm->ContextDispose(c->context);
    free(c);
}

/* ---- one program ---- */

static void add_flag(const struct compiler *c, LLVMValueRef fn, unsigned index, const char *name,
                     uint64_t value) {
    const struct llvm *llvm = c->llvm;
    const unsigned kind = llvm->GetEnumAttributeKindForName(name, strlen(name));
    llvm->AddAttributeAtIndex(fn, index, llvm->CreateEnumAttribute(c->context, kind, value));
}

enum { PARAM_W = 1, PARAM_ENV = 2 };

/* The function shares target and floating-point rules with the handlers it inlines; the warp is seen
 * through its parameter alone, and nobody writes the environment. */
static void set_attributes(const struct compiler *c, LLVMModuleRef module, LLVMValueRef fn) {
    static const char *const shared[] = {"target-cpu",       "target-features",
                                         "tune-cpu",         "denormal-fp-math",
                                         "no-trapping-math", "min-legal-vector-width",
                                         "prefer-vector-width"};
    const struct llvm *llvm = c->llvm;
    const unsigned on_function = (unsigned)LLVMAttributeFunctionIndex;
    LLVMValueRef model = llvm->GetNamedFunction(module, "jit_accepts");
    for (size_t i = 0; i < sizeof shared / sizeof *shared; i++) {
        LLVMAttributeRef a = llvm->GetStringAttributeAtIndex(model, on_function, shared[i],
                                                             (unsigned)strlen(shared[i]));
        if (a)
            llvm->AddAttributeAtIndex(fn, on_function, a);
    }
    add_flag(c, fn, on_function, "nounwind", 0);
    add_flag(c, fn, PARAM_W, "noalias", 0);
    add_flag(c, fn, PARAM_W, "writable", 0);
    add_flag(c, fn, PARAM_W, "dereferenceable", sizeof(struct warp));
    add_flag(c, fn, PARAM_W, "align", 128);
    add_flag(c, fn, PARAM_ENV, "noalias", 0);
    add_flag(c, fn, PARAM_ENV, "readonly", 0);
    add_flag(c, fn, PARAM_ENV, "dereferenceable", sizeof(struct warp_env));
}

/* What was linked belongs to this module alone; the small parts are inlined. */
static void settle_handlers(const struct compiler *c, LLVMModuleRef module, LLVMValueRef fn) {
    const struct llvm *llvm = c->llvm;
    for (LLVMValueRef f = llvm->GetFirstFunction(module); f; f = llvm->GetNextFunction(f)) {
        size_t length;
        const char *name = llvm->GetValueName2(f, &length);
        if (f == fn || llvm->IsDeclaration(f))
            continue;
        llvm->SetLinkage(f, LLVMInternalLinkage);
        if (lower_inlines(name))
            add_flag(c, f, (unsigned)LLVMAttributeFunctionIndex, "alwaysinline", 0);
    }
    for (LLVMValueRef g = llvm->GetFirstGlobal(module); g; g = llvm->GetNextGlobal(g))
        if (!llvm->IsDeclaration(g))
            llvm->SetLinkage(g, LLVMInternalLinkage);
}

static bool link_handlers(const struct compiler *c, LLVMModuleRef module, char *error,
                          size_t size) {
    const struct llvm *llvm = c->llvm;
    LLVMMemoryBufferRef copy = llvm->CreateMemoryBufferWithMemoryRange(
        llvm->GetBufferStart(c->handlers), llvm->GetBufferSize(c->handlers), "handlers", 0);
    LLVMModuleRef handlers;
    if (llvm->GetBitcodeModuleInContext2(c->context, copy, &handlers)) {
        llvm->DisposeMemoryBuffer(copy);
        snprintf(error, size, "LLVM cannot read the handlers' bitcode");
        return false;
    }
    if (llvm->LinkModules2(module, handlers)) {
        snprintf(error, size, "LLVM cannot link the handlers");
        return false;
    }
    return true;
}

/* Handlers come optimised; what is left is to inline them, to fold what the constant ops decide, and
 * to see registers through from one to the next. */
static const char passes[] =
    "always-inline,globaldce,function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,"
    "simplifycfg,sccp,gvn,loop-mssa(licm),dse,simplifycfg,instcombine<no-verify-fixpoint>,adce)";

static bool optimise(const struct compiler *c, LLVMModuleRef module, char *error, size_t size) {
    const struct llvm *llvm = c->llvm;
    LLVMPassBuilderOptionsRef options = llvm->CreatePassBuilderOptions();
    LLVMErrorRef failure = llvm->RunPasses(module, passes, c->machine, options);
    llvm->DisposePassBuilderOptions(options);
    return failure ? refused(llvm, failure, error, size) : true;
}

static jit_fn *place(struct compiler *c, LLVMModuleRef module, const char *name,
                     struct compiled_code *code, char *error, size_t size) {
    const struct llvm *llvm = c->llvm;
    LLVMMemoryBufferRef object;
    char *text = NULL;
    if (llvm->TargetMachineEmitToMemoryBuffer(c->machine, module, LLVMObjectFile, &text, &object)) {
        snprintf(error, size, "LLVM: %s", text);
        llvm->DisposeMessage(text);
        return NULL;
    }
    code->tracker =
        llvm->OrcJITDylibCreateResourceTracker(llvm->OrcLLJITGetMainJITDylib(c->jit));
    LLVMErrorRef failure = llvm->OrcLLJITAddObjectFileWithRT(c->jit, code->tracker, object);
    LLVMOrcExecutorAddress at = 0;
    if (!failure)
        failure = llvm->OrcLLJITLookup(c->jit, &at, name);
    if (!failure)
        return (jit_fn *)(uintptr_t)at;
    refused(llvm, failure, error, size);
    return NULL;
}

/* With TESLAPIPE_JIT_DUMP=DIR, for those who work on the compiler. */
static void dump(const struct compiler *c, const struct lowering *in, const char *stage) {
    const char *folder = getenv("TESLAPIPE_JIT_DUMP");
    char path[4096], *text = NULL;
    if (!folder)
        return;
    snprintf(path, sizeof path, "%s/%s.%s.ll", folder, in->name, stage);
    if (c->llvm->PrintModuleToFile(in->module, path, &text)) {
        fprintf(stderr, "teslapipe: %s: %s\n", path, text);
        c->llvm->DisposeMessage(text);
    }
}

static jit_fn *compile(struct compiler *c, const struct lowering *in, struct compiled_code *code,
                       char *error, size_t size) {
    LLVMValueRef fn = lower_program(in);
    if (!fn) {
        snprintf(error, size, "%s is too large, or nothing in it can be compiled", in->program->name);
        return NULL;
    }
    if (!link_handlers(c, in->module, error, size))
        return NULL;
    set_attributes(c, in->module, fn);
    settle_handlers(c, in->module, fn);
    dump(c, in, "linked");
    if (!optimise(c, in->module, error, size))
        return NULL;
    dump(c, in, "optimised");
    return place(c, in->module, in->name, code, error, size);
}

jit_fn *compiler_compile(struct compiler *c, const struct program *p, uint32_t mode,
                         struct compiled_code **code, char *error, size_t error_size) {
    const struct llvm *llvm = c->llvm;
    char name[32];
    snprintf(name, sizeof name, "teslapipe_%u", c->compiled++);
    *code = calloc(1, sizeof **code);
    if (!*code) {
        snprintf(error, error_size, "out of memory");
        return NULL;
    }
    LLVMModuleRef module = llvm->ModuleCreateWithNameInContext(name, c->context);
    LLVMTargetDataRef layout = llvm->CreateTargetDataLayout(c->machine);
    llvm->SetModuleDataLayout(module, layout);
    llvm->DisposeTargetData(layout);
    const struct lowering in = {llvm, c->context, module, p, mode, c->simd, name};
    jit_fn *fn = compile(c, &in, *code, error, error_size);
    llvm->DisposeModule(module);
    if (!fn) {
        compiler_free_code(c, *code);
        *code = NULL;
    }
    return fn;
}

void compiler_free_code(struct compiler *c, struct compiled_code *code) {
    if (!code)
        return;
    if (code->tracker) {
        LLVMErrorRef failure = c->llvm->OrcResourceTrackerRemove(code->tracker);
        if (failure)
            c->llvm->DisposeErrorMessage(c->llvm->GetErrorMessage(failure));
        c->llvm->OrcReleaseResourceTracker(code->tracker);
    }
    free(code);
}
