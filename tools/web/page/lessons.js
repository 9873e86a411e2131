// Lessons: a scene, a mistake that is planted in one of its programs, and a task, which is solved
// when the picture is that of the right program. The lesson about compute has a kernel, its input,
// and the expected words.
const SUM = `// g0[i] = the sum of all 64 words, for every i: one block of 64 threads, two warps.
// Each turn adds the word at half the distance: 32, 16, 8, 4, 2, 1.
.shared 0x140                   // 64 words from s[0x20] on

    cvt u32 $r1 u16 $r0l        // thread
    shl b32 $r2 $r1 0x2
    ld b32 $r3 g0[$r2]
    shl $a1 $r1 0x2
    st b32 s[$a1+0x20] $r3
    mov b32 $r4 0x20            // distance
    mov b32 $r7 0x0
    bar inc wait 0x0 all
turn:
    add b32 $r5 $r1 $r4
    and b32 $r5 $r5 0x3f
    shl $a2 $r5 0x2
    ld $r6 b32 s[$a2+0x20]
    bar inc wait 0x0 all        // all have read
    add b32 $r3 $r3 $r6
    st b32 s[$a1+0x20] $r3
    bar inc wait 0x0 all        // all have written
    shr u32 $r4 $r4 0x1
    set $c0 # g u32 $r4 $r7
    (lg $c0) bra #turn
    st b32 g0[$r2] $r3
    exit nop
`;

export const LESSONS = [
    {
        id: "masks", title: "1 Warps and masks", scene: "mandelbrot", program: "mandelbrot.fp", time: 2.5,
        find: "set $c0 # g f32 $r3 $r8\n    (lg $c0) break", mistake: "set $c0 # g f32 $r3 $r8\n    (e $c0) break",
        text: "32 pixels run one program together, as the lanes of a warp. A loop ends for each lane at its own time: <code>break</code> takes a lane out of the active mask, and the lane waits at <code>#done</code> until no lane is left in the loop.",
        task: "All pixels have left the loop in the first turn. Click on a pixel and step its warp: watch the mask <i>active</i> at the first <code>break</code>. Which lanes ought to leave? The condition in front of an instruction says which lanes execute it: <code>lg</code> those where the comparison was true, <code>e</code> where it was false.",
    },
    {
        id: "quads", title: "2 Quads and derivatives", scene: "checker", program: "checker.fp", time: 2.5,
        find: "quadop f32 sub subr sub subr $r12 dx $r8 $r8", mistake: "quadop f32 sub subr sub subr $r12 l0 $r8 $r8",
        text: "Four neighbouring pixels are a quad: lanes 0 and 1 above, 2 and 3 below. <code>quadop</code> subtracts the value of a neighbour in the quad, so a program knows how fast a value changes from pixel to pixel. The chequered plane uses this as the width of its filter; helper lanes run only so that each quad is whole.",
        task: "The filter of the plane's x takes the wrong neighbour: <code>l0</code> is always the quad's first pixel, so a pixel there compares itself with itself. Ask a far pixel of the plane and look at <code>$r12</code> in the four lanes of its quad. Choose the neighbour to the left or right, as the line for <code>$r9</code> does.",
    },
    {
        id: "interpolation", title: "3 Interpolation and 1/w", scene: "grass", program: "grass.fp", time: 2.5,
        find: "rcp f32 $r7 $r7", mistake: "mov b32 $r7 1.0",
        text: "The rasterizer interpolates linearly on the screen, and that is wrong for everything that lies in perspective. So a vertex's values are divided by w, and 1/w is a value of its own: <code>v[0x0]</code>. A fragment program divides by the interpolated 1/w, and has the value in space again: <code>interp $r0 v[0x4] $r7</code> multiplies by <code>$r7</code>.",
        task: "Here <code>$r7</code> is 1, so texture coordinates, shade and fog are still divided by w: far blades see a corner of the texture. Make <code>$r7</code> the reciprocal of the interpolated 1/w, which the line before has put there.",
    },
    {
        id: "levels", title: "4 Texture levels", scene: "grass", program: "grass.fp", time: 2.5,
        find: "texauto all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1 0x0 0x0 0x0",
        mistake: "mov b32 $r2 0x0\n    texlod all $r0:$r1:$r2:$r3 $t0 $s0 $r0:$r1:$r2 0x0 0x0 0x0",
        text: "A texture has levels, each half as large as the one before. <code>texauto</code> finds the level from the steps of the coordinates inside a quad: a step of two texels is level 1. A level that is too fine sparkles, because neighbouring pixels see texels that have nothing in common; one that is too coarse is blurred.",
        task: "The far blades are noise: the program names level 0 itself. Let the hardware choose the level. (The coordinates are <code>$r0:$r1</code>; <code>texauto</code> takes no level.)",
    },
    {
        id: "geometry", title: "5 Geometry: emit and restart", scene: "explode", program: "explode.gp", time: 2.5,
        find: "    emit\n    corner $r18 $r19 $r20", mistake: "    corner $r18 $r19 $r20",
        text: "A geometry program gets a primitive, here a triangle, and makes any number of new ones. It writes a vertex into its o[] words and says <code>emit</code>; three vertices of a strip are a triangle, and <code>restart</code> begins another strip.",
        task: "Nothing is drawn but the sky: each strip has two vertices. One corner is computed, and overwritten by the next before it is emitted. Find the place.",
    },
    {
        id: "compute", title: "6 Compute: barriers", kernel: SUM, find: "    bar inc wait 0x0 all        // all have read\n", mistake: "",
        text: "A block of 64 threads is two warps that share s[]. They do not run in step: a warp goes on until it waits. <code>bar</code> holds a warp until every warp of the block has come there.",
        task: "The sum is wrong, and different from word to word: a warp writes words that the other one has yet to read. Between reading and writing in each turn all warps have to meet.",
        input: Array.from({ length: 64 }, (_, i) => i + 1), right: Array(64).fill(2080),
    },
];
