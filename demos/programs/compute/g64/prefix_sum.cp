// out[i] = in[0] + .. + in[i]: one block goes through the data in pieces of one word a thread; each
// piece is summed in shared memory in log2 steps (Hillis and Steele) and the total is carried on.
// generic64 code.
// Buffer 0: in, buffer 1: out, words; parameter 0: number of words.
// teslapipe run prefix_sum.cp -m g64 --grid 1 --block 1024 --buffer 0=in.bin
//     --buffer 1=zero:40000 --param 10000 --out 1=out.bin

.shared 0x1000                  // 1,024 words

S2R R1, TIDX
S2R R2, NTIDX
MOVI R3, 32
LDC R3, [R3]                    // words
MOVI R4, 0                      // carried on
MOVI R5, 0                      // first word of the piece
SHL R11, R1, 2                  // this thread's word in shared memory
ADD R12, R2, -1
SHL R12, R12, 2                 // the last one
MOVI R13, 0
MOVHI R13, 0x20                 // 0x8000000: buffer 0; twice that: buffer 1

piece:
SETGE.U P0, R5, R3
@P0 EXIT                        // the same for all threads
ADD R6, R5, R1
SETLT.U P1, R6, R3              // is there a word for this thread?
SHL R6, R6, 2
ADD R6, R6, R13
MOVI R7, 0
@P1 LDG R7, [R6]
STS [R11], R7
BAR 0
MOVI R8, 1                      // distance
step:
SETGE.U P0, R8, R2
@P0 BRA summed
SETGE.U P2, R1, R8
SUB R9, R1, R8
SHL R9, R9, 2
MOVI R10, 0
@P2 LDS R10, [R9]
BAR 0                           // all have read
ADD R7, R7, R10
STS [R11], R7
BAR 0                           // all have written
ADD R8, R8, R8
BRA step
summed:
ADD R7, R7, R4
ADD R6, R6, R13
@P1 STG [R6], R7
LDS R10, [R12]                  // sum of the piece
ADD R4, R4, R10
BAR 0                           // shared memory is free again
ADD R5, R5, R2
BRA piece
