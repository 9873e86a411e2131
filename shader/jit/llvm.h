/* The LLVM-C functions the compiler uses, opened at run time: a program that never compiles never
 * pays for the library, and one without it still runs in the interpreter. Knows no program.
 */
#ifndef SHADER_JIT_LLVM_H
#define SHADER_JIT_LLVM_H

#include <llvm-c/BitReader.h>
#include <llvm-c/BitWriter.h>
#include <llvm-c/Core.h>
#include <llvm-c/Error.h>
#include <llvm-c/LLJIT.h>
#include <llvm-c/Linker.h>
#include <llvm-c/Orc.h>
#include <llvm-c/Target.h>
#include <llvm-c/TargetMachine.h>
#include <llvm-c/Transforms/PassBuilder.h>

#include <stdbool.h>
#include <stddef.h>

#define LLVM_FUNCTIONS(X)                                                                          \
    X(AddAttributeAtIndex)                                                                         \
    X(AddCase)                                                                                     \
    X(AddFunction)                                                                                 \
    X(AddGlobal)                                                                                   \
    X(AppendBasicBlockInContext)                                                                   \
    X(BuildAnd)                                                                                    \
    X(BuildBr)                                                                                     \
    X(BuildCall2)                                                                                  \
    X(BuildCondBr)                                                                                 \
    X(BuildICmp)                                                                                   \
    X(BuildRet)                                                                                    \
    X(BuildSwitch)                                                                                 \
    X(ConstInt)                                                                                    \
    X(ConstNull)                                                                                   \
    X(ConstStringInContext2)                                                                       \
    X(ConstStructInContext)                                                                        \
    X(ContextCreate)                                                                               \
    X(ContextDispose)                                                                              \
    X(CreateBuilderInContext)                                                                      \
    X(CreateEnumAttribute)                                                                         \
    X(CreateMemoryBufferWithMemoryRange)                                                           \
    X(CreatePassBuilderOptions)                                                                    \
    X(CreateStringAttribute)                                                                       \
    X(CreateTargetDataLayout)                                                                      \
    X(CreateTargetMachine)                                                                         \
    X(DisposeBuilder)                                                                              \
    X(DisposeErrorMessage)                                                                         \
    X(DisposeMemoryBuffer)                                                                         \
    X(DisposeMessage)                                                                              \
    X(DisposeModule)                                                                               \
    X(DisposePassBuilderOptions)                                                                   \
    X(DisposeTargetData)                                                                           \
    X(DisposeTargetMachine)                                                                        \
    X(FunctionType)                                                                                \
    X(GetBitcodeModuleInContext2)                                                                  \
    X(GetBufferSize)                                                                               \
    X(GetBufferStart)                                                                              \
    X(GetDefaultTargetTriple)                                                                      \
    X(GetEnumAttributeKindForName)                                                                 \
    X(GetErrorMessage)                                                                             \
    X(GetFirstFunction)                                                                            \
    X(GetNamedFunction)                                                                            \
    X(GetNextFunction)                                                                             \
    X(GetParam)                                                                                    \
    X(GetStringAttributeAtIndex)                                                                   \
    X(GetStringAttributeValue)                                                                     \
    X(GetTargetFromTriple)                                                                         \
    X(InitializeX86AsmParser)                                                                      \
    X(InitializeX86AsmPrinter)                                                                     \
    X(InitializeX86Target)                                                                         \
    X(InitializeX86TargetInfo)                                                                     \
    X(InitializeX86TargetMC)                                                                       \
    X(Int1TypeInContext)                                                                           \
    X(Int32TypeInContext)                                                                          \
    X(IsDeclaration)                                                                               \
    X(LinkModules2)                                                                                \
    X(ModuleCreateWithNameInContext)                                                               \
    X(OrcCreateDynamicLibrarySearchGeneratorForProcess)                                            \
    X(OrcCreateLLJIT)                                                                              \
    X(OrcDisposeLLJIT)                                                                             \
    X(OrcJITDylibAddGenerator)                                                                     \
    X(OrcJITDylibCreateResourceTracker)                                                            \
    X(OrcLLJITAddObjectFileWithRT)                                                                 \
    X(OrcLLJITGetGlobalPrefix)                                                                     \
    X(OrcLLJITGetMainJITDylib)                                                                     \
    X(OrcLLJITLookup)                                                                              \
    X(OrcReleaseResourceTracker)                                                                   \
    X(OrcResourceTrackerRemove)                                                                    \
    X(ParseBitcodeInContext2)                                                                      \
    X(PointerTypeInContext)                                                                        \
    X(PositionBuilderAtEnd)                                                                        \
    X(PrintModuleToFile)                                                                           \
    X(RunPasses)                                                                                   \
    X(SetGlobalConstant)                                                                           \
    X(SetInitializer)                                                                              \
    X(SetLinkage)                                                                                  \
    X(SetModuleDataLayout)                                                                         \
    X(SetTarget)                                                                                   \
    X(SetAlignment)                                                                                \
    X(TargetMachineEmitToMemoryBuffer)                                                             \
    X(TypeOf)                                                                                  \
    X(GetInsertBlock)                                                                          \
    X(BuildUnreachable)                                                                        \
    X(GetValueName2)                                                                           \
    X(GetFirstGlobal)                                                                          \
    X(GetNextGlobal)                                                                           \
    X(Int64TypeInContext)                                                                      \
    X(ConstIntToPtr)                                                                           \
    X(AddCallSiteAttribute)                                                                    \
    X(OrcAbsoluteSymbols)                                                                      \
    X(OrcLLJITMangleAndIntern)                                                                 \
    X(OrcJITDylibDefine)                                                                       \
    X(OrcDisposeMaterializationUnit)                                                           \
    X(ArrayType2)                                                                              \
    X(BuildAlloca)                                                                             \
    X(VoidTypeInContext)                                                                           \
    X(WriteBitcodeToMemoryBuffer)

struct llvm {
#define X(name) __typeof__(&LLVM##name) name;
    LLVM_FUNCTIONS(X)
#undef X
};

/* The library, opened once per process and never closed; NULL with a line in error if it is missing
 * or lacks a function. */
const struct llvm *llvm_open(char *error, size_t error_size);

#endif
