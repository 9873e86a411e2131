// counts[v] = how often byte v occurs: threads stride through the data, atomics collect. generic64 code.
// Buffer 0: bytes, buffer 1: 256 words; parameter 0: number of bytes.
// teslapipe run histogram.cp -m g64 --grid 8 --block 128 --buffer 0=data.bin --buffer 1=zero:1024
//     --param 65536 --out 1=counts.bin

S2R R0, TIDX
S2R R1, CTAX
S2R R2, NTIDX
MAD R0, R1, R2, R0              // first byte
S2R R3, NCTAX
MUL R2, R2, R3                  // stride: all threads of the grid
MOVI R3, 32
LDC R4, [R3]
MOVI R5, 0
MOVHI R5, 0x20                  // 0x8000000
ADD R6, R5, R5
MOVI R8, 1
PBK done
next:
SETGE.U P0, R0, R4
@P0 BRK
ADD R7, R0, R5
LDG.8 R7, [R7]
SHL R7, R7, 2
ADD R7, R7, R6
ATOMG.ADD R9, [R7], R8
ADD R0, R0, R2
BRA next
done:
EXIT
