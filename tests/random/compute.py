"""Random compute programs of GLSL: shared memory, atomics, barriers in loops, images, buffers of random layouts.

Groups run in any order. So atomics on the words of a buffer or image are of one commutative operation in a program, and
only the host reads their results.
"""
import struct

import fragment

SIZES = [(32, 1, 1), (7, 5, 1), (64, 2, 1), (16, 16, 1), (3, 3, 3), (1, 1, 1), (128, 1, 2), (33, 1, 1), (10, 10, 2)]
GRIDS = [(1, 1, 1), (3, 1, 1), (2, 2, 1), (4, 1, 2)]
# Images: format, components and type in moderngl, prefix of GLSL's names.
IMAGES = [("rgba32ui", 4, "u4", "u"), ("rgba16ui", 4, "u2", "u"), ("rgba8ui", 4, "u1", "u"), ("rg32ui", 2, "u4", "u"),
          ("rg16ui", 2, "u2", "u"), ("rg8ui", 2, "u1", "u"), ("r32ui", 1, "u4", "u"), ("r16ui", 1, "u2", "u"),
          ("r8ui", 1, "u1", "u"), ("rgba32i", 4, "i4", "i"), ("rgba16i", 4, "i2", "i"), ("rgba8i", 4, "i1", "i"),
          ("r32i", 1, "i4", "i"), ("r16i", 1, "i2", "i"), ("r8i", 1, "i1", "i"), ("rg32i", 2, "i4", "i"),
          ("rgba32f", 4, "f4", ""), ("r32f", 1, "f4", ""), ("rg32f", 2, "f4", ""), ("rgba16f", 4, "f2", ""),
          ("rg16f", 2, "f2", ""), ("r16f", 1, "f2", ""), ("rgba8", 4, "f1", ""), ("rg8", 2, "f1", ""),
          ("r8", 1, "f1", "")]
SIDE = 16
MEMBERS = ["int", "uint", "float", "ivec2", "uvec3", "vec3", "ivec4", "uvec2", "mat2", "mat3", "mat4", "mat2x3",
           "mat4x2", "mat3x4"]


class Program:
    """text; grid: groups; images: rows as in IMAGES: the first for loads and stores, the second for atomics."""

    def __init__(self, seed, version):
        self.made = made = fragment.Program(seed, version)
        self.random = r = made.random
        (x, y, z), self.grid = r.choice(SIZES), r.choice(GRIDS)
        self.count, groups = x * y * z, self.grid[0] * self.grid[1] * self.grid[2]
        self.operation = r.choice(["Add", "Xor", "Min", "Max", "And", "Or"])
        self.image, counts = r.choice(IMAGES), r.choice([("r32ui", 1, "u4", "u"), ("r32i", 1, "i4", "i")])
        self.images, self.signed = [self.image, counts], counts[3] == "i"
        block, body = self.layout(), []
        for _ in range(r.randint(1, 5)):
            body += made.block(r.randint(1, 4)) + r.choice(self.makers())()
        head = made.head.replace("out uvec4 o;", "")
        self.text = "\n".join([
            f"{head}layout(local_size_x = {x}, local_size_y = {y}, local_size_z = {z}) in;",
            f"const uint N = {self.count}u, G = {groups}u;\nshared uint sh[{self.count}];",
            f"layout(std430, binding = 0) buffer B {{ uint res[]; }};\n{block}",
            f"layout({self.image[0]}, binding = 0) uniform {self.image[3]}image2D image;",
            f"layout({counts[0]}, binding = 1) uniform {counts[3]}image2D counts;",
            "void main() { uint li = gl_LocalInvocationIndex; uvec3 wg = gl_WorkGroupID;",
            "uint gi = (wg.z * gl_NumWorkGroups.y + wg.y) * gl_NumWorkGroups.x + wg.x, at = gi * N + li;",
            "int ix = int(gl_GlobalInvocationID.x), iy = int(gl_LocalInvocationID.y + wg.y);",
            "int iz = int(li * 1103515245u + gi); uvec4 ua = un * (li + 1u) ^ uvec4(gi);",
            "int acc = ix - iy * 3; uint w = ua.x ^ 7u; float h = float(ix & 15);\nsh[li] = li; barrier();", *body,
            "res[at] = uint(acc) ^ w ^ uint(int(h * 4.0)); }"])

    def makers(self):
        return [self.exchange, self.shared_atomic, self.atomics, self.counting, self.sum, self.loop, self.members,
                self.image_use, self.image_atomic]

    def numbers(self, kind, count):
        """The content of a buffer or image: small whole numbers as floats, any integers."""
        if kind[0] != "f" or kind == "f1":
            return self.random.randbytes(count * int(kind[1]))
        letter = "f" if kind == "f4" else "e"
        return struct.pack(f"<{count}{letter}", *[self.random.randint(-50, 50) for _ in range(count)])

    def exchange(self):
        return ["sh[li] = uint(acc);", "barrier();", f"w ^= sh[(li + {self.random.randint(1, self.count)}u) % N];",
                "barrier();"]

    def shared_atomic(self):
        e = self.made.expression
        operation = self.random.choice(["Add", "Xor", "Or", "And", "Min", "Max"])
        return [f"atomic{operation}(sh[uint({e('int', 2)} & 0x7fffffff) % N], w);", "barrier();",
                "acc += int(sh[N - 1u - li]);", "barrier();"]

    def atomics(self):
        return [f"atomic{self.operation}(res[N * G + (w % 64u)], uint({self.made.expression('int', 2)}));"]

    def counting(self):
        return [f"if ({self.made.expression('bool', 1)}) atomicAdd(res[N * G + 64u + (w & 7u)], 1u);"]

    def sum(self):
        return ["sh[li] = w;", "memoryBarrierShared(); barrier();",
                "for (uint s = N / 2u; s > 0u; s >>= 1) { if (li < s) sh[li] += sh[li + s]; barrier(); }",
                "w += sh[0];", "barrier();"]

    def loop(self):
        """Barriers in a loop whose number of turns is the same for the whole group."""
        r = self.random
        return [f"for (uint turn = 0u; turn < {r.choice(['3u', '(gi & 3u) + 1u', 'sh[0] % 4u'])}; turn++) {{",
                "barrier();", "sh[li] = w + turn;", "barrier();",
                f"if ((li & {r.choice([1, 2, 3])}u) != turn) w ^= sh[(li * {r.randint(1, 7)}u + turn) % N];",
                "barrier();", "if (li == 0u) sh[0] = uint(turn); barrier(); }", "barrier();"]

    def layout(self):
        """A block of random members in std430 or std140, row-major or not, with arrays and structures."""
        r, inner, lines, self.names = self.random, "", [], []
        for i in range(r.randint(1, 5)):
            kind, count = r.choice(MEMBERS), r.choice([None, None, r.randint(1, 4)])
            order = r.choice(["", "layout(row_major) ", "layout(column_major) "]) if kind.startswith("mat") else ""
            lines.append(f"{order}{kind} m{i}{f'[{count}]' if count else ''};")
            self.names.append((f"m{i}", kind, count))
        if r.random() < 0.5:
            kind = r.choice(MEMBERS)
            inner = f"struct S {{ {r.choice(MEMBERS)} a; {kind} b; float c; }};\n"
            lines.append(f"{r.choice(['', 'layout(row_major) '])}S s[3];")
            self.names.append(("s[gi % 3u].b", kind, None))
        return f"{inner}layout({r.choice(['std430', 'std140'])}, binding = 1) buffer M {{ {' '.join(lines)} }};"

    def members(self):
        """Reads a member, at computed indices."""
        name, kind, count = self.random.choice(self.names)
        value = name + (f"[(li + gi) % {count}u]" if count else "")
        if kind.startswith("mat"):
            value += f"[(li + {self.random.randint(0, 3)}u) % {kind[3]}u][{self.random.randrange(int(kind[-1]))}]"
        elif kind[-1].isdigit():
            value += f"[(w + li) % {kind[-1]}u]"
        return [f"w ^= {'uint' if kind[0] in 'iu' else 'floatBitsToUint'}({value});"]

    def image_use(self):
        """Loads any texel of the upper half; stores to the invocation's own texel of the lower half."""
        prefix, e = self.image[3], self.made.expression
        load = f"imageLoad(image, ivec2({e('int', 3)} & {SIDE - 1}, {e('int', 3)} & {SIDE // 2 - 1}))"
        if self.image[2] == "f1": # 0 and 1 are exact
            value = "vec4(greaterThan(ivec4(acc, int(w), int(li & 1u), 1), ivec4(0)))"
        else:
            value = {"u": f"uvec4({e('uint', 2)}, w, li, 7)", "i": f"ivec4({e('int', 2)}, acc, li, -7)",
                     "": f"vec4(float({e('int', 2)} & 255), h, float(li & 63u), 0.5)"}[prefix]
        word = f"uint({load}[{self.random.randrange(4)}])" if prefix else f"floatBitsToUint({load}.x)"
        return [f"w ^= {word};", f"if (at < {SIDE * SIDE // 2}u)",
                f"imageStore(image, ivec2(at % {SIDE}u, {SIDE // 2}u + at / {SIDE}u), {value});"]

    def image_atomic(self):
        """The driver compares signed texels without signs (docs/opengl.md), so those have no minimum and maximum."""
        operation = "Add" if self.signed and self.operation in ("Min", "Max") else self.operation
        value = self.made.expression("int" if self.signed else "uint", 2)
        return [f"imageAtomic{operation}(counts, ivec2(w % {SIDE}u, li % {SIDE}u), {value});"]
