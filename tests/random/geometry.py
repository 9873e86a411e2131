"""Random geometry programs of GLSL. Inputs decide how many vertices they emit, where they cut, and what they write."""
import random

VERTICES = {"points": 1, "lines": 2, "lines_adjacency": 4, "triangles": 3, "triangles_adjacency": 6}


class Program:
    """vertex, geometry: texts; input: the input primitive; draw: the random numbers of the draw."""

    def __init__(self, seed, version):
        self.random = r = random.Random(seed)
        self.input = r.choice(list(VERTICES))
        corners, words, most = VERTICES[self.input], r.randint(1, 4), r.randint(3, 30)
        invocations = r.choice([1, 1, 2, 5]) if version == "430" else 1
        number = "gl_InvocationID" if invocations > 1 else "0"
        values = [f"v{i} = ivec4(gl_VertexID * {r.randint(1, 99)} + {i}, gl_InstanceID, gl_VertexID ^ {r.randint(0, 99)}, {i});"
                  for i in range(words)]
        outputs = "".join(f"flat out ivec4 v{i}; " for i in range(words))
        inputs = "".join(f"flat in ivec4 v{i}[]; " for i in range(words))
        self.vertex = (f"#version {version}\n{outputs}\n"
                       f"void main() {{ {' '.join(values)} gl_Position = vec4(gl_VertexID); }}")
        count = r.choice([f"{r.randint(0, most)}", "(v0[0].x & 7)", f"(gl_PrimitiveIDIn % 5) + {number}",
                          f"v0[{corners - 1}].x % 11"])
        first = r.choice(["", f"if ((v0[0].x & 1) == {r.randint(0, 1)}) return;", "if ((v0[0].x & 3) == 2) c = c / 2;"])
        skip = r.choice(["", "if (e == v0[0].z % 9) break;", "if (e % 4 == 1) continue;"])
        emit = (f"w0 = ivec4(v0[{r.choice([f'e % {corners}', '0', f'{corners - 1}'])}].x, e, gl_PrimitiveIDIn, {number}); "
                f"w1 = v{words - 1}[{r.randint(0, corners - 1)}] + e * {r.randint(0, 5)}; gl_Position = vec4(e); EmitVertex();")
        output = r.choice(["points", "line_strip", "triangle_strip"])
        cut = r.choice(["", "if (e % 4 == 3) EndPrimitive();", "if ((e & v0[0].x) > 4) EndPrimitive();",
                        "if (e == 4) { EndPrimitive(); EndPrimitive(); }", "EndPrimitive();" if output == "points" else ""])
        last = r.choice(["", "EndPrimitive();", f"if (c < {most // 2}) {{ int e = 100; {emit} }}"])
        layout = f"{self.input}{f', invocations = {invocations}' if invocations > 1 else ''}"
        self.geometry = (f"#version {version}\nlayout({layout}) in;\n"
                         f"layout({output}, max_vertices = {most}) out;\n"
                         f"{inputs}\nflat out ivec4 w0; flat out ivec4 w1;\n"
                         f"void main() {{ int c = min({count}, {most}); {first}\n"
                         f"for (int e = 0; e < c; e++) {{ {skip} {emit} {cut} }}\n{last} }}\n")
