/* Lowers a program: see lower.h. Every block exists twice: for warps in which all lanes that were
 * started are active, where a result may be written to all 32 lanes, and for divergent ones. What is
 * not foreseen leaves the function: the interpreter goes on there.
 */
#include "shader/jit/lower.h"

#include "shader/jit/blocks.h"
#include "shader/jit/steps.h"
#include "shader/stack.h"

#include <stdio.h>
#include <stdlib.h>

enum { FULL, DIVERGENT, VERSIONS };

/* A v[] word that the program interpolates at a fixed address: evaluated where a warp comes in. */
struct fixed_varying {
    uint32_t word;
    uint8_t mode;
    LLVMValueRef at; /* its struct varying */
};

struct emitter {
    const struct lowering *in;
    const struct llvm *llvm;
    const struct program *p;
    LLVMBuilderRef b;
    LLVMTypeRef void_, i1, i32, i64, ptr;
    LLVMValueRef fn, w, env;
    struct jit_blocks blocks;
    LLVMBasicBlockRef *head[VERSIONS], *body[VERSIONS]; /* by block */
    struct fixed_varying *varying;
    uint32_t varyings;
    LLVMBasicBlockRef resume; /* returns WARP_RUNNING, w->pc is set */
    LLVMBasicBlockRef done, error;
};

/* ---- small things ---- */

static LLVMValueRef word(const struct emitter *e, uint32_t v) {
    return e->llvm->ConstInt(e->i32, v, 0);
}

static LLVMBasicBlockRef new_block(const struct emitter *e, const char *name) {
    return e->llvm->AppendBasicBlockInContext(e->in->context, e->fn, name);
}

static void at_end_of(const struct emitter *e, LLVMBasicBlockRef block) {
    e->llvm->PositionBuilderAtEnd(e->b, block);
}

static LLVMBasicBlockRef returning(const struct emitter *e, const char *name,
                                   enum warp_status status) {
    LLVMBasicBlockRef block = new_block(e, name);
    at_end_of(e, block);
    e->llvm->BuildRet(e->b, word(e, status));
    return block;
}

/* Calls a function of handlers.c; its type follows from what it is given. */
static LLVMValueRef call(const struct emitter *e, const char *name, LLVMTypeRef result,
                         LLVMValueRef *arguments, LLVMTypeRef *types, unsigned count) {
    LLVMTypeRef type = e->llvm->FunctionType(result, types, count, 0);
    LLVMValueRef fn = e->llvm->GetNamedFunction(e->in->module, name);
    if (!fn)
        fn = e->llvm->AddFunction(e->in->module, name, type);
    return e->llvm->BuildCall2(e->b, type, fn, arguments, count, "");
}

enum { STEP_W = 1, STEP_ENV = 2 };

/* A step that takes w, env (as `which` says) and up to four words. */
static LLVMValueRef step(const struct emitter *e, const char *name, LLVMTypeRef result,
                         unsigned which, unsigned words, const uint32_t *value) {
    LLVMValueRef argument[6];
    LLVMTypeRef type[6];
    unsigned n = 0;
    if (which & STEP_W) {
        argument[n] = e->w;
        type[n++] = e->ptr;
    }
    if (which & STEP_ENV) {
        argument[n] = e->env;
        type[n++] = e->ptr;
    }
    for (unsigned i = 0; i < words; i++) {
        argument[n] = word(e, value[i]);
        type[n++] = e->i32;
    }
    return call(e, name, result, argument, type, n);
}

static uint32_t pc_of(const struct emitter *e, uint32_t at) {
    return e->p->base + 4 * at;
}

/* ---- where to go ---- */

/* Leaves for the interpreter at word `at`. */
static void emit_stop(const struct emitter *e, uint32_t at) {
    e->llvm->BuildRet(e->b,
                      step(e, "jit_stop", e->i32, STEP_W, 1, (uint32_t[]){pc_of(e, at)}));
}

/* The head of the block at word `at` in one version; a way out if there is none. */
static LLVMBasicBlockRef head_at(const struct emitter *e, int version, uint32_t at) {
    if (at < e->blocks.words && e->blocks.of[at] != NO_BLOCK && e->head[version])
        return e->head[version][e->blocks.of[at]];
    LLVMBasicBlockRef here = new_block(e, "out");
    at_end_of(e, here);
    emit_stop(e, at);
    return here;
}

/* To one of two blocks by whether all lanes are active. */
static LLVMBasicBlockRef by_fullness(const struct emitter *e, LLVMBasicBlockRef full,
                                     LLVMBasicBlockRef divergent) {
    LLVMBasicBlockRef here = new_block(e, "fullness");
    at_end_of(e, here);
    e->llvm->BuildCondBr(e->b, step(e, "jit_is_full", e->i1, STEP_W, 0, NULL), full, divergent);
    return here;
}

static LLVMBasicBlockRef to_word(const struct emitter *e, uint32_t at) {
    if (!e->head[DIVERGENT])
        return head_at(e, FULL, at);
    LLVMBasicBlockRef full = head_at(e, FULL, at), divergent = head_at(e, DIVERGENT, at);
    return by_fullness(e, full, divergent);
}

static bool resumes_from(const struct jit_resume *r, uint32_t site) {
    return r->from <= site && site <= r->to;
}

/* Ways on from one site: with all there are, code would grow with the square of the program. */
enum { MAX_WAYS = 8 };

/* Goes to w->pc, which came from the stack, when lanes left at word `site`: to the places that are
 * likely there, the first MAX_WAYS of them, else to the interpreter. */
static LLVMBasicBlockRef dispatch(const struct emitter *e, uint32_t site) {
    const struct jit_blocks *b = &e->blocks;
    LLVMBasicBlockRef here = new_block(e, "dispatch"), target[MAX_WAYS];
    uint32_t to[MAX_WAYS], count = 0;
    for (uint32_t i = 0; i < b->resumes && count < MAX_WAYS; i++) {
        bool is_new = resumes_from(&b->resume[i], site);
        for (uint32_t k = 0; k < count; k++)
            is_new &= to[k] != b->resume[i].at;
        if (is_new)
            to[count++] = b->resume[i].at;
    }
    for (uint32_t i = 0; i < count; i++)
        target[i] = to_word(e, to[i]);
    at_end_of(e, here);
    LLVMValueRef pc = step(e, "jit_pc", e->i32, STEP_W, 0, NULL);
    LLVMValueRef choice = e->llvm->BuildSwitch(e->b, pc, e->resume, count);
    for (uint32_t i = 0; i < count; i++)
        e->llvm->AddCase(choice, word(e, pc_of(e, to[i])), target[i]);
    return here;
}

/* By an enum go. */
static void emit_go(const struct emitter *e, LLVMValueRef go, LLVMBasicBlockRef next,
                    LLVMBasicBlockRef target, LLVMBasicBlockRef from_stack,
                    LLVMBasicBlockRef here) {
    const struct {
        enum go go;
        LLVMBasicBlockRef block;
    } ways[] = {{GO_NEXT, next}, {GO_TARGET, target}, {GO_PC, from_stack}, {GO_DONE, e->done}};
    at_end_of(e, here);
    LLVMValueRef choice = e->llvm->BuildSwitch(e->b, go, e->error, 4);
    for (unsigned i = 0; i < 4; i++)
        if (ways[i].block)
            e->llvm->AddCase(choice, word(e, ways[i].go), ways[i].block);
}

/* ---- instructions ---- */

/* Sources that the handlers do not read in line: they must know the lanes, and at least one. */
static bool has_memory_source(const struct op *op) {
    for (int i = 0; i < 3; i++) {
        const struct operand *o = &op->src[i];
        const bool fixed = !o->areg && (o->file == FILE_ATTR ||
                                        (o->file == FILE_CONST && o->mem == TYPE_B32));
        if (o->file >= FILE_CONST && !fixed)
            return true;
    }
    return false;
}

/* The handler's function; NULL where an instruction is skipped, as its destination is not allocated.
 * Those that are too large to be inlined are called where the interpreter has them. */
static const char *handler_name(const struct emitter *e, uint32_t at, bool *arithmetic) {
    static const char *(*const alu[])(exec_fn *) = SIMD_TABLE(exec_alu_name);
    static const char *(*const memory[])(exec_fn *) = SIMD_TABLE(exec_memory_name);
    static const char *(*const special[])(exec_fn *) = SIMD_TABLE(exec_special_name);
    const enum simd_level simd = e->in->simd;
    exec_fn *fn = e->p->linked->op[at].fn[simd];
    const char *name = alu[simd](fn);
    *arithmetic = (name && !has_memory_source(&e->p->ops[at])) || e->p->ops[at].code == OP_INTERP;
    if (!name)
        name = memory[simd](fn);
    return name ? name : special[simd](fn);
}

static LLVMValueRef constant(const struct emitter *e, LLVMValueRef value, LLVMTypeRef type,
                             const char *name) {
    LLVMValueRef global = e->llvm->AddGlobal(e->in->module, type, name);
    e->llvm->SetInitializer(global, value);
    e->llvm->SetGlobalConstant(global, 1);
    e->llvm->SetLinkage(global, LLVMPrivateLinkage);
    e->llvm->SetAlignment(global, 16);
    return global;
}

static LLVMValueRef bytes(const struct emitter *e, const void *data, size_t size) {
    return e->llvm->ConstStringInContext2(e->in->context, data, size, 1);
}

/* The linked op at a word as a constant, with its op behind the pointer. */
static LLVMValueRef linked_constant(const struct emitter *e, uint32_t at) {
    const struct linked_op *l = &e->p->linked->op[at];
    enum { OP_AT = offsetof(struct linked_op, op), REST_AT = OP_AT + sizeof l->op };
    _Static_assert(OP_AT == SIMD_LEVELS * sizeof l->fn[0], "handlers, op, the rest");
    static const uint8_t no_handlers[OP_AT];
    LLVMValueRef op_bytes = bytes(e, l->op, sizeof *l->op);
    LLVMTypeRef op_type = e->llvm->TypeOf(op_bytes);
    LLVMValueRef part[] = {
        bytes(e, no_handlers, sizeof no_handlers),
        constant(e, op_bytes, op_type, "op"),
        bytes(e, (const uint8_t *)l + REST_AT, sizeof *l - REST_AT),
    };
    LLVMValueRef all = e->llvm->ConstStructInContext(e->in->context, part, 3, 0);
    return constant(e, all, e->llvm->TypeOf(all), "linked");
}

static LLVMValueRef active(const struct emitter *e) {
    return step(e, "jit_active", e->i32, STEP_W, 0, NULL);
}

static bool is_predicated(const struct op *op) {
    return op->pred != PRED_ALWAYS && op->code != OP_VOTE;
}

/* The lanes an instruction is executed in; arithmetic in a full warp may as well write them all. */
static LLVMValueRef executing(const struct emitter *e, const struct op *op, bool all) {
    LLVMValueRef holds = NULL;
    if (is_predicated(op))
        holds = step(e, "jit_predicate", e->i32, STEP_W, 2,
                     (uint32_t[]){op->pred_reg & 3, op->pred});
    if (all)
        return holds ? holds : word(e, LANES_ALL);
    return holds ? e->llvm->BuildAnd(e->b, holds, active(e), "") : active(e);
}

/* Calls a handler in the interpreter's own code. */
static void call_native(const struct emitter *e, exec_fn *fn, LLVMValueRef *argument,
                        LLVMTypeRef *type) {
    LLVMTypeRef fn_type = e->llvm->FunctionType(e->void_, type, 4, 0);
    LLVMValueRef address = e->llvm->ConstInt(e->i64, (uintptr_t)fn, 0);
    LLVMValueRef made = e->llvm->BuildCall2(
        e->b, fn_type, e->llvm->ConstIntToPtr(address, e->ptr), argument, 4, "");
    const unsigned kind = e->llvm->GetEnumAttributeKindForName("nounwind", 8);
    e->llvm->AddCallSiteAttribute(made, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                  e->llvm->CreateEnumAttribute(e->in->context, kind, 0));
}

/* The place of the word that an interp names, or NULL. */
static struct fixed_varying *find_varying(const struct emitter *e, const struct op *op) {
    if (op->code != OP_INTERP || op->src[0].areg)
        return NULL;
    for (uint32_t i = 0; i < e->varyings; i++)
        if (e->varying[i].word == op->src[0].value >> 2 && e->varying[i].mode == op->interp_mode)
            return &e->varying[i];
    return NULL;
}

static void emit_plain(const struct emitter *e, int version, uint32_t at) {
    const struct op *op = &e->p->ops[at];
    bool arithmetic;
    const char *name = handler_name(e, at, &arithmetic);
    LLVMBasicBlockRef after = NULL;
    if (!name)
        return;
    LLVMValueRef lanes = executing(e, op, version == FULL && arithmetic);
    if (is_predicated(op) && !arithmetic) { /* these want at least one lane */
        LLVMBasicBlockRef inside = new_block(e, "some");
        after = new_block(e, "after");
        LLVMValueRef none = e->llvm->BuildICmp(e->b, LLVMIntEQ, lanes, word(e, 0), "");
        e->llvm->BuildCondBr(e->b, none, after, inside);
        at_end_of(e, inside);
    }
    const struct fixed_varying *v = find_varying(e, op);
    LLVMValueRef argument[] = {e->w, e->env, linked_constant(e, at), lanes, v ? v->at : NULL};
    LLVMTypeRef type[] = {e->ptr, e->ptr, e->ptr, e->i32, e->ptr};
    if (v)
        call(e, "jit_interp", e->void_, argument, type, 5);
    else if (lower_inlines(name))
        call(e, name, e->void_, argument, type, 4);
    else
        call_native(e, e->p->linked->op[at].fn[e->in->simd], argument, type);
    if (after) {
        e->llvm->BuildBr(e->b, after);
        at_end_of(e, after);
    }
}

/* ---- the ends of blocks ---- */

static LLVMValueRef control_step(const struct emitter *e, uint32_t at) {
    static const char *const names[OPCODES] = {
#define X(code, name) [OP_##code] = "jit_" #name,
        JIT_CONTROL_LIST(X)
#undef X
    };
    static const bool predicable[OPCODES] = {
        [OP_BRA] = true, [OP_BREAK] = true, [OP_RET] = true, [OP_DISCARD] = true};
    const struct op *op = &e->p->ops[at];
    LLVMValueRef lanes = predicable[op->code] ? executing(e, op, false) : active(e);
    LLVMValueRef argument[] = {e->w, e->env, linked_constant(e, at), word(e, pc_of(e, at)), lanes};
    LLVMTypeRef type[] = {e->ptr, e->ptr, e->ptr, e->i32, e->i32};
    return call(e, names[op->code], e->i32, argument, type, 5);
}

/* The builder stands at the end of the block `here`. */
static void emit_control(const struct emitter *e, int version, const struct jit_block *k,
                         LLVMBasicBlockRef here) {
    const struct op *op = &e->p->ops[k->last];
    LLVMValueRef go = control_step(e, k->last);
    LLVMBasicBlockRef next = NULL, target = NULL, from_stack = NULL;
    const uint32_t to = (op->target - e->p->base) >> 2;
    switch (op->code) {
    case OP_BRA:
        next = head_at(e, version, k->end);
        target = version == FULL ? to_word(e, to) : head_at(e, version, to);
        break;
    case OP_BREAK:
    case OP_RET:
        next = version == FULL ? to_word(e, k->end) : head_at(e, version, k->end);
        from_stack = dispatch(e, k->last);
        break;
    case OP_CALL:
        next = head_at(e, version, k->end);
        target = head_at(e, version, to);
        break;
    default: /* pushes, discard */
        next = head_at(e, version, k->end);
        break;
    }
    emit_go(e, go, next, target, from_stack, here);
}

static void emit_exit(const struct emitter *e, const struct jit_block *k, LLVMBasicBlockRef here) {
    LLVMValueRef go =
        step(e, "jit_exit", e->i32, STEP_W | STEP_ENV, 1, (uint32_t[]){pc_of(e, k->end)});
    emit_go(e, go, NULL, NULL, dispatch(e, k->last), here);
}

static void emit_end(const struct emitter *e, int version, const struct jit_block *k) {
    LLVMBasicBlockRef here = e->llvm->GetInsertBlock(e->b);
    if (k->count && jit_op_kind(e->p, k->last, e->in->simd) == KIND_CONTROL) {
        emit_control(e, version, k, here);
    } else if (k->count && e->p->ops[k->last].exit) {
        emit_exit(e, k, here);
    } else {
        LLVMBasicBlockRef next = head_at(e, version, k->end);
        at_end_of(e, here);
        e->llvm->BuildBr(e->b, next);
    }
}

/* ---- blocks ---- */

/* Out if the budget does not last for the whole block; the interpreter finds the very instruction. */
static void emit_budget(const struct emitter *e, const struct jit_block *k,
                        LLVMBasicBlockRef inside) {
    LLVMBasicBlockRef out = new_block(e, "budget"), here = e->llvm->GetInsertBlock(e->b);
    LLVMValueRef enough =
        step(e, "jit_budget", e->i1, STEP_W | STEP_ENV, 1, (uint32_t[]){k->count});
    e->llvm->BuildCondBr(e->b, enough, inside, out);
    at_end_of(e, out);
    emit_stop(e, k->first);
    at_end_of(e, here);
}

static void emit_head(const struct emitter *e, int version, uint32_t number) {
    const struct jit_block *k = &e->blocks.block[number];
    LLVMBasicBlockRef body = e->body[version][number];
    at_end_of(e, e->head[version][number]);
    if (!e->p->ops[k->first].join || !k->count) {
        emit_budget(e, k, body);
        return;
    }
    LLVMBasicBlockRef join = new_block(e, "join");
    emit_budget(e, k, join);
    at_end_of(e, join);
    step(e, "jit_executed", e->void_, STEP_W, 1, (uint32_t[]){1});
    LLVMValueRef go = step(e, "jit_join", e->i32, STEP_W, 1, (uint32_t[]){pc_of(e, k->first)});
    LLVMBasicBlockRef joined = body;
    if (e->body[DIVERGENT])
        joined = by_fullness(e, e->body[FULL][number], e->body[DIVERGENT][number]);
    emit_go(e, go, joined, NULL, dispatch(e, k->first), join);
}

static void emit_assumptions(const struct emitter *e) {
    step(e, "jit_assume", e->void_, STEP_ENV, 4,
         (uint32_t[]){e->in->mode, e->p->type, e->p->variant, e->p->header.reg_count});
}

static void emit_body(const struct emitter *e, int version, uint32_t number) {
    const struct jit_block *k = &e->blocks.block[number];
    const bool join = k->count && e->p->ops[k->first].join;
    at_end_of(e, e->body[version][number]);
    emit_assumptions(e);
    step(e, "jit_executed", e->void_, STEP_W, 1, (uint32_t[]){k->count - join});
    step(e, "jit_count", e->void_, STEP_W, 1, (uint32_t[]){k->count});
    uint32_t at = k->first;
    for (uint32_t i = 0; i < k->count; i++) {
        if (jit_op_kind(e->p, at, e->in->simd) == KIND_PLAIN)
            emit_plain(e, version, at);
        at += e->p->ops[at].words;
    }
    emit_end(e, version, k);
}

/* A block of no instructions stands where the interpreter must take over. */
static void emit_block(const struct emitter *e, int version, uint32_t number) {
    const struct jit_block *k = &e->blocks.block[number];
    if (k->count == 0) {
        at_end_of(e, e->head[version][number]);
        emit_stop(e, k->first);
        at_end_of(e, e->body[version][number]);
        e->llvm->BuildUnreachable(e->b);
        return;
    }
    emit_head(e, version, number);
    emit_body(e, version, number);
}

/* ---- the function ---- */

static bool make_heads(struct emitter *e) {
    const int versions = e->blocks.diverges ? VERSIONS : 1;
    for (int v = 0; v < versions; v++) {
        e->head[v] = calloc(e->blocks.count, sizeof *e->head[v]);
        e->body[v] = calloc(e->blocks.count, sizeof *e->body[v]);
        if (!e->head[v] || !e->body[v])
            return false;
        for (uint32_t i = 0; i < e->blocks.count; i++) {
            char name[32];
            snprintf(name, sizeof name, "%s_%x", v == FULL ? "full" : "divergent",
                     pc_of(e, e->blocks.block[i].first));
            e->head[v][i] = new_block(e, name);
            e->body[v][i] = new_block(e, "body");
        }
    }
    return true;
}

/* Finds the words that are interpolated at fixed addresses, and evaluates them here. */
static void emit_varyings(struct emitter *e) {
    const struct jit_blocks *b = &e->blocks;
    uint32_t limit = 0;
    for (uint32_t i = 0; i < b->count; i++)
        limit += b->block[i].count;
    e->varying = calloc(limit + 1, sizeof *e->varying);
    for (uint32_t i = 0; e->varying && i < b->count; i++) {
        uint32_t at = b->block[i].first;
        for (uint32_t k = 0; k < b->block[i].count; at += e->p->ops[at].words, k++) {
            const struct op *op = &e->p->ops[at];
            if (op->code == OP_INTERP && !op->src[0].areg && !find_varying(e, op))
                e->varying[e->varyings++] =
                    (struct fixed_varying){op->src[0].value >> 2, op->interp_mode, NULL};
        }
    }
    LLVMTypeRef row = e->llvm->ArrayType2(e->i32, sizeof(struct varying) / 4);
    for (uint32_t i = 0; i < e->varyings; i++) {
        struct fixed_varying *v = &e->varying[i];
        v->at = e->llvm->BuildAlloca(e->b, row, "varying");
        e->llvm->SetAlignment(v->at, _Alignof(struct varying));
    }
    for (uint32_t i = 0; i < e->varyings; i++) {
        const struct fixed_varying *v = &e->varying[i];
        LLVMValueRef argument[] = {e->w, word(e, v->word), word(e, v->mode), v->at};
        LLVMTypeRef type[] = {e->ptr, e->i32, e->i32, e->ptr};
        call(e, "jit_varying", e->void_, argument, type, 4);
    }
}

/* Where a warp comes in: at an entry, or it goes back at once. */
static void emit_entry(struct emitter *e, LLVMBasicBlockRef start) {
    const struct jit_blocks *b = &e->blocks;
    LLVMBasicBlockRef accepted = new_block(e, "accepted");
    at_end_of(e, start);
    LLVMValueRef fits =
        step(e, "jit_accepts", e->i1, STEP_W | STEP_ENV, 1, (uint32_t[]){e->in->mode});
    e->llvm->BuildCondBr(e->b, fits, accepted, e->resume);
    LLVMBasicBlockRef *target = calloc(b->entries + 1, sizeof *target);
    for (uint32_t i = 0; target && i < b->entries; i++)
        target[i] = by_fullness(e, head_at(e, FULL, b->entry[i]),
                                e->head[DIVERGENT] ? head_at(e, DIVERGENT, b->entry[i])
                                                   : e->resume);
    at_end_of(e, accepted);
    emit_varyings(e);
    LLVMValueRef pc = step(e, "jit_pc", e->i32, STEP_W, 0, NULL);
    LLVMValueRef choice = e->llvm->BuildSwitch(e->b, pc, e->resume, b->entries);
    for (uint32_t i = 0; target && i < b->entries; i++) {
        bool first = true;
        for (uint32_t k = 0; k < i; k++)
            first &= b->entry[k] != b->entry[i];
        if (first)
            e->llvm->AddCase(choice, word(e, pc_of(e, b->entry[i])), target[i]);
    }
    free(target);
}

static void emit_function(struct emitter *e) {
    LLVMTypeRef parameters[] = {e->ptr, e->ptr};
    e->fn = e->llvm->AddFunction(e->in->module, e->in->name,
                                 e->llvm->FunctionType(e->i32, parameters, 2, 0));
    e->w = e->llvm->GetParam(e->fn, 0);
    e->env = e->llvm->GetParam(e->fn, 1);
    LLVMBasicBlockRef start = new_block(e, "start");
    e->resume = returning(e, "resume", WARP_RUNNING);
    e->done = returning(e, "done", WARP_DONE);
    e->error = returning(e, "error", WARP_ERROR);
    if (!make_heads(e))
        return;
    emit_entry(e, start);
    for (int v = 0; v < VERSIONS; v++)
        for (uint32_t i = 0; e->head[v] && i < e->blocks.count; i++)
            emit_block(e, v, i);
}

static bool ends_with(const char *s, const char *end) {
    const size_t n = strlen(s), m = strlen(end);
    return n >= m && !strcmp(s + n - m, end);
}

bool lower_inlines(const char *name) {
    static const char *const apart[] = {"cvt_wide_any", "dfma_any", "dadd_any", "dmul_any",
                                        "dmin_any",     "dmax_any", "dset_any"};
    static const char *const whole[] = {"interp_common", "texture", "st_out", "vote", "nop"};
    static const char *const ends[] = {"_any", "_plain", "_word0", "_word1", "_word2"};
    for (size_t i = 0; i < sizeof apart / sizeof *apart; i++)
        if (!strcmp(name, apart[i]))
            return false;
    for (size_t i = 0; i < sizeof whole / sizeof *whole; i++)
        if (!strcmp(name, whole[i]))
            return true;
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (ends_with(name, ends[i]))
            return true;
    return !strncmp(name, "jit_", 4);
}

static bool has_code(const struct jit_blocks *b) {
    for (uint32_t i = 0; i < b->count; i++)
        if (b->block[i].count)
            return true;
    return false;
}

LLVMValueRef lower_program(const struct lowering *in) {
    const struct llvm *llvm = in->llvm;
    struct emitter e = {
        .in = in,
        .llvm = llvm,
        .p = in->program,
        .b = llvm->CreateBuilderInContext(in->context),
        .void_ = llvm->VoidTypeInContext(in->context),
        .i1 = llvm->Int1TypeInContext(in->context),
        .i32 = llvm->Int32TypeInContext(in->context),
        .i64 = llvm->Int64TypeInContext(in->context),
        .ptr = llvm->PointerTypeInContext(in->context, 0),
    };
    if (jit_blocks_find(&e.blocks, in->program, in->simd) && !e.blocks.too_large &&
        has_code(&e.blocks))
        emit_function(&e);
    LLVMValueRef fn = e.head[FULL] && e.body[FULL] ? e.fn : NULL;
    for (int v = 0; v < VERSIONS; v++) {
        free(e.head[v]);
        free(e.body[v]);
    }
    free(e.varying);
    jit_blocks_free(&e.blocks);
    llvm->DisposeBuilder(e.b);
    return fn;
}
