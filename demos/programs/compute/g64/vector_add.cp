// c[i] = a[i] + b[i]: one thread an element. generic64 code.
// Buffer n lies at address (n + 1) * 0x8000000: a, b, c floats; parameter 0 (constant 0x20): elements.
// teslapipe run vector_add.cp -m g64 --grid 4 --block 256 --buffer 0=a.bin --buffer 1=b.bin
//     --buffer 2=zero:4096 --param 1000 --out 2=c.bin

S2R R0, TIDX
S2R R1, CTAX
S2R R2, NTIDX
MAD R0, R1, R2, R0              // element
MOVI R3, 32
LDC R4, [R3]
SETGE.U P0, R0, R4
@P0 EXIT                        // beyond the end
SHL R0, R0, 2
MOVI R5, 0
MOVHI R5, 0x20                  // 0x8000000
ADD R0, R0, R5
LDG R1, [R0]
ADD R0, R0, R5
LDG R2, [R0]
ADD R0, R0, R5
FADD R1, R1, R2
STG [R0], R1
EXIT
