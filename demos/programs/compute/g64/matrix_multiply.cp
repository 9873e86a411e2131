// C = A B, square matrices of floats, by tiles of 16 x 16 that a block keeps in shared memory.
// generic64 code: fused multiply-add.
// Buffers 0, 1, 2: A, B, C, row by row; parameter 0: size, a multiple of 16.
// teslapipe run matrix_multiply.cp -m g64 --grid 4,4 --block 16,16 --buffer 0=a.bin
//     --buffer 1=b.bin --buffer 2=zero:16384 --param 64 --out 2=c.bin

.shared 0x800                   // the tile of A, then that of B

S2R R1, TIDX
S2R R2, TIDY
S2R R3, CTAX
SHL R3, R3, 4
ADD R3, R3, R1                  // column
S2R R4, CTAY
SHL R4, R4, 4
ADD R4, R4, R2                  // row
MOVI R10, 32
LDC R10, [R10]                  // size
MOVI R24, 0
MOVHI R24, 0x20                 // 0x8000000

MUL R5, R4, R10
ADD R6, R5, R1
SHL R6, R6, 2
ADD R6, R6, R24                 // A[row][tx], one tile to the right each time
MAD R7, R2, R10, R3
SHL R7, R7, 2
ADD R7, R7, R24
ADD R7, R7, R24                 // B[ty][column], one tile down each time
ADD R8, R5, R3
SHL R8, R8, 2
MUL R25, R24, 3
ADD R8, R8, R25                 // C[row][column]
MOVI R9, 0                      // the sum
SHL R11, R10, 6                 // bytes of 16 rows
SHR.U R13, R10, 4               // tiles left
SHL R15, R2, 4
ADD R15, R15, R1
SHL R15, R15, 2                 // this thread's place in a tile
SHL R19, R1, 2                  // column tx
SHL R20, R2, 6                  // row ty

tile:
LDG R16, [R6]
LDG R17, [R7]
ADD R6, R6, 64
ADD R7, R7, R11
STS [R15], R16
STS [R15+1024], R17
BAR 0                           // both tiles are complete
MOV R21, R20
MOV R22, R19
MOVI R18, 16
product:
LDS R16, [R21]
LDS R17, [R22+1024]
ADD R21, R21, 4
ADD R22, R22, 64
FFMA R9, R16, R17, R9
SUB R18, R18, 1
SETNE P0, R18, 0
@P0 BRA product
BAR 0                           // no thread reads the tiles any more
SUB R13, R13, 1
SETNE P0, R13, 0
@P0 BRA tile

STG [R8], R9
EXIT
