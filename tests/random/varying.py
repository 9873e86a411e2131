"""Random varyings: qualifiers, arrays, blocks, clip and cull distances; and random uniform blocks.

Programs divide no integers: the driver of a Tesla may lose a carry (docs/opengl.md).

Vertices lie on whole pixels and values are small whole numbers, so that interpolated values are exact or nearly so.
"""
import random

MEMBERS = ["float", "vec2", "vec3", "vec4", "int", "ivec2", "uvec3", "ivec4", "mat2", "mat3", "mat4", "mat2x3",
           "mat4x2", "mat3x4"]
TYPES = [kind for kind in MEMBERS if kind not in ("mat4", "mat3x4")]
QUALIFIERS = ["", "", "smooth", "noperspective", "flat", "centroid", "noperspective centroid"]


class Program:
    """vertex, fragment: texts; mode, vertices: the draw; clips: how many clip distances are on."""

    def __init__(self, seed, version):
        self.random = r = random.Random(seed)
        self.members()
        self.outputs, self.inputs, self.writes, self.reads = [], [], [], []
        left = r.randint(4, 44)
        for i in range(r.randint(1, 8)):
            left -= self.varying(f"x{i}", left)
        if r.random() < 0.4 and left > 24:
            self.varying_block()
        self.distances(version)
        divergent = r.choice(["", "if (((int(gl_FragCoord.x) ^ int(gl_FragCoord.y)) & 2) == 0)",
                              "for (int i = 0; i < 2; i++)"])
        w = r.choice([[1], [1], [1, 2], [1, 2, 3]])
        self.vertex = "\n".join([
            f"#version {version}\n#extension GL_ARB_cull_distance : enable\n{self.block}", *self.outputs,
            "void main() { int id = gl_VertexID;",
            f"vec2 at = vec2({by_vertex(lambda i: i * 13 % 33)}, {by_vertex(lambda i: (i * 7 + i // 3 * 5) % 17)});",
            f"float w = {by_vertex(lambda i: w[i % len(w)])};",
            "gl_Position = vec4((at / vec2(16.0, 8.0) - 1.0) * w, 0.0, w);", *self.writes, "}"])
        self.fragment = "\n".join([
            f"#version {version}\n{self.block}", *self.inputs,
            "out vec4 o;\nvoid main() { float sum = 0.0; vec2 slope = vec2(0.0);", f"{divergent} {{", *self.reads,
            f"}}\nsum += {self.read()};\no = vec4(sum, slope, gl_FrontFacing ? 1.0 : 2.0); }}"])
        self.mode, self.vertices = r.choice([("TRIANGLES", 9), ("TRIANGLE_STRIP", 6), ("TRIANGLE_FAN", 5)])

    def varying(self, name, left):
        """Declares a varying, perhaps an array, and writes and reads it. Returns its words, 0 if it takes too many."""
        r = self.random
        kind, count = r.choice(TYPES), r.choice([None, None, None, 1, 2, 4])
        words = 4 * (int(kind[3]) if kind.startswith("mat") else 1) * (count or 1)
        if left < words:
            return 0
        qualifier, array = "flat" if is_integer(kind) else r.choice(QUALIFIERS), f"[{count}]" if count else ""
        self.outputs.append(f"{qualifier} out {kind} {name}{array};")
        self.inputs.append(f"{qualifier} in {kind} {name}{array};")
        for k in range(count or 1):
            self.writes.append(f"{name}{f'[{k}]' if count else ''} = {self.value(kind)};")
        at = f"[int(gl_FragCoord.x) & {count - 1}]" if count else ""
        for c in r.sample(range(components(kind)), min(2, components(kind))):
            self.reads.append(f"sum += float({element(kind, name + at, c)}) * {r.randint(1, 3)}.0;")
        if not is_integer(kind) and r.random() < 0.3:
            of = element(kind, f"{name}{f'[{count - 1}]' if count else ''}", 0)
            self.reads.append(f"slope += vec2(dFdx({of}), dFdy({of}));")
        return words

    def varying_block(self):
        self.outputs.append("out Block { vec2 a; flat ivec2 b; vec3 c[2]; } block;")
        self.inputs.append("in Block { vec2 a; flat ivec2 b; vec3 c[2]; } block;")
        self.writes.append(f"block.a = {self.value('vec2')}; block.b = {self.value('ivec2')};"
                           f" block.c[0] = {self.value('vec3')}; block.c[1] = vec3(id);")
        self.reads.append("sum += block.a.x + float(block.b.y) + block.c[int(gl_FragCoord.y) & 1].z;")

    def distances(self, version):
        r = self.random
        self.clips = r.choice([0, 0, 1, 2, 5, 6])
        if version == "430" and r.random() < 0.3:
            culls = r.choice([1, 2])
            self.outputs.append(f"out float gl_CullDistance[{culls}];")
            self.writes += [f"gl_CullDistance[{k}] = {self.distance()};" for k in range(culls)]
        if self.clips:
            self.outputs.append(f"out float gl_ClipDistance[{self.clips}];")
            self.inputs.append(f"in float gl_ClipDistance[{self.clips}];")
        for k in range(self.clips):
            self.writes.append(f"gl_ClipDistance[{k}] = {self.distance()};")
        if self.clips and r.random() < 0.5:
            self.reads.append(f"sum += gl_ClipDistance[{r.randrange(self.clips)}];")

    def distance(self):
        factor, most = self.random.randint(1, 9), self.random.randint(0, 8)
        return by_vertex(lambda i: (i * factor + 3) % 17 - most)

    def value(self, kind):
        """A value that depends on the vertex. Factors are positive: see docs/opengl.md for products with -3 and -5."""
        parts = [f"id * {self.random.randint(0, 9)} + {self.random.randint(-50, 50)}" for _ in range(components(kind))]
        return f"{kind}({', '.join(parts)})"

    def members(self):
        """A uniform block in std140 of random members; every word is a small whole number."""
        r = self.random
        lines, self.names = [], []
        inner = ""
        for i in range(r.randint(1, 6)):
            kind = r.choice(MEMBERS)
            order = r.choice(["", "layout(row_major) ", "layout(column_major) "]) if kind.startswith("mat") else ""
            count = r.choice([None, None, 1, 2, 4])
            lines.append(f"{order}{kind} m{i}{f'[{count}]' if count else ''};")
            self.names.append((f"m{i}", kind, count))
        if r.random() < 0.5:
            a, b = r.choice(MEMBERS), r.choice(MEMBERS)
            inner = f"struct S {{ {a} a; {b} b[2]; float c; }};\n"
            lines.append(f"{r.choice(['', 'layout(row_major) '])}S s[2];")
            self.names += [("s[1].a", a, None), ("s[1].b", b, 2), ("s[0].c", "float", None)]
            lines.append("float last;")
            self.names.append(("last", "float", None))
        self.block = f"{inner}layout(std140{r.choice(['', ', row_major'])}) uniform M {{ {' '.join(lines)} }};\n"

    def read(self):
        """A sum of members, some at indices that the pixel decides."""
        r, out = self.random, []
        for name, kind, count in self.names:
            at = f"[int(gl_FragCoord.x) & {count - 1}]" if count else ""
            at = f"[{count - 1}]" if count and r.random() < 0.5 else at
            value = element(kind, name + at, r.randrange(components(kind)), r.random() < 0.3)
            out.append(f"intBitsToFloat(int({value}))" if is_integer(kind) else value)
        return " + ".join(out)


def by_vertex(value):
    """A whole number for each vertex."""
    return f"float[9]({', '.join(f'{value(i)}.0' for i in range(9))})[id]"


def is_integer(kind):
    return kind[0] in "iu"


def components(kind):
    if kind.startswith("mat"):
        return int(kind[3]) * int(kind[-1])
    return int(kind[-1]) if kind[-1].isdigit() else 1


def element(kind, name, c, computed=False):
    """Component c of a variable. computed: one that the pixel decides."""
    at = lambda i, n: f"[min(int(gl_FragCoord.y) + {i} & 3, {n} - 1)]" if computed else f"[{i}]"
    if kind.startswith("mat"):
        rows = int(kind[-1])
        return f"{name}{at(c // rows, kind[3])}[{c % rows}]"
    return name + at(c, kind[-1]) if kind[-1].isdigit() else name
