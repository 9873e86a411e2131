"""Random tessellation programs of GLSL: patches, levels of all kinds, spacing, winding, values a vertex and a patch.

Control programs have random statements, exchange values between invocations, and write the levels.
"""
import random

import fragment

LEVELS = ["0.0", "1.0", "2.0", "3.0", "5.5", "7.0", "-1.0", "0.3", "1.5", "12.25", "64.0", "70.0",
          "float(gl_PrimitiveID % 5) * 1.75", "float(pv.x & 15) - 1.0", "float(pv.y & 7) * 0.5",
          "uintBitsToFloat(0x7fc00000u)", "1.0 / 0.0"]
COMMON = ["1.0", "2.0", "3.0", "4.0", "float(gl_PrimitiveID % 5) + 0.5", "float(pv.x & 7) + 1.0"]


class Program:
    """vertex, control, evaluation: texts; patch: its vertices; primitive: GL's number of the kind that is made."""

    def __init__(self, seed, version):
        self.random = r = random.Random(seed)
        self.version = version
        self.patch, self.corners = r.choice([1, 2, 3, 4, 5, 16, 32]), r.choice([1, 2, 3, 4, 7, 16, 32])
        self.vertex = (
            f"#version {version}\nout ivec4 v0; out ivec4 v1;\nvoid main() {{\n"
            f"v0 = ivec4(gl_VertexID * {r.randint(1, 99)}, gl_InstanceID, gl_VertexID ^ 5, 77); v1 = v0 * 3;\n"
            "gl_Position = vec4(gl_VertexID); }\n")
        self.control = self.make_control(fragment.Program(seed, version))
        self.evaluation = self.make_evaluation()

    def make_control(self, made):
        r, corners = self.random, self.corners
        body = "\n".join(made.block(r.randint(1, 6)))
        exchange = [f"c1[gl_InvocationID] = c0[(id + {r.randint(0, 40)}) % {corners}].yxwz + gl_PatchVerticesIn;"]
        if r.random() < 0.4:
            exchange += ["barrier();", "c1[gl_InvocationID] ^= ivec4(id, c1[gl_InvocationID].x, 0, 0);", "barrier();"]
        return "\n".join([
            f"{made.head.replace('out uvec4 o;', '')}layout(vertices = {corners}) out;",
            "in ivec4 v0[]; in ivec4 v1[];",
            "out ivec4 c0[]; out ivec4 c1[]; patch out ivec4 p0; patch out float p1[3];",
            "void main() { int id = gl_InvocationID, from = id % gl_PatchVerticesIn;",
            "int ix = v0[from].x, iy = v1[gl_PatchVerticesIn - 1 - from].z, iz = id * 1103515245 + gl_PrimitiveID;",
            "uvec4 ua = un * uint(ix + 1) ^ uvec4(iy);",
            "int acc = ix - iy * 3; uint w = ua.x ^ 7u; float h = float(ix & 15);", body,
            "c0[gl_InvocationID] = ivec4(acc, int(w), gl_PrimitiveID, int(h * 4.0));\nbarrier();", *exchange,
            f"if (id == {r.choice([0, corners - 1])}) {{ ivec4 pv = v0[0];", *self.levels(),
            f"p0 = c0[{r.randrange(corners)}] + ivec4(id, 0, pv.x, 1);",
            "p1[0] = float(pv.x); p1[1] = 2.0; p1[2] = float(id); }\n}"])

    def levels(self):
        """Most levels of a program are one of two, so that many patches are drawn."""
        r = self.random
        usual = r.choice(COMMON), r.choice(COMMON)
        level = lambda: r.choice(LEVELS) if r.random() < 0.15 else r.choice(usual)
        return [f"gl_TessLevelOuter[{i}] = {level()};" for i in range(4)] + \
            [f"gl_TessLevelInner[{i}] = {level()};" for i in range(2)]

    def make_evaluation(self):
        r, corners = self.random, self.corners
        domain, points = r.choice(["triangles", "quads", "isolines"]), r.random() < 0.4
        self.primitive = 0 if points else 1 if domain == "isolines" else 4
        layout = [domain, r.choice(["equal_spacing", "fractional_even_spacing", "fractional_odd_spacing"]),
                  r.choice(["cw", "ccw"])] + (["point_mode"] if points else [])
        return "\n".join([
            f"#version {self.version}\nlayout({', '.join(layout)}) in;",
            "in ivec4 c0[]; in ivec4 c1[]; patch in ivec4 p0; patch in float p1[3];",
            "out ivec4 e0; out ivec4 e1; out vec4 e2;",
            f"void main() {{ e0 = c0[{r.randrange(corners)}] + p0 * 3 + gl_PrimitiveID;",
            f"e1 = c1[int(p0.x & 0x7fffffff) % {corners}];",
            f"e1 += ivec4(gl_PatchVerticesIn, int(p1[{r.randrange(3)}]), 0, 0);",
            f"e2 = vec4(gl_TessCoord, gl_TessLevelOuter[{r.randrange(4)}]); gl_Position = vec4(gl_TessCoord, 1.0); }}"])
