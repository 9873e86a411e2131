"""Draws random programs and prints a line for each: its seed and a digest of the results.

    draw.py KIND VERSION FIRST COUNT [text]

KIND: fragment or geometry. VERSION: 330 or 430. Runs under one driver, by moderngl and EGL. text: prints the programs,
too.
"""
import hashlib
import os
import sys

import moderngl

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import fragment
import geometry

WIDTH, HEIGHT = 32, 16
DRAWN = {
    "points": [moderngl.POINTS],
    "lines": [moderngl.LINES, moderngl.LINE_STRIP, moderngl.LINE_LOOP],
    "lines_adjacency": [moderngl.LINES_ADJACENCY, moderngl.LINE_STRIP_ADJACENCY],
    "triangles": [moderngl.TRIANGLES, moderngl.TRIANGLE_STRIP, moderngl.TRIANGLE_FAN],
    "triangles_adjacency": [moderngl.TRIANGLES_ADJACENCY, moderngl.TRIANGLE_STRIP_ADJACENCY],
}
CORNERS = """#version 330
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }"""


def draw_fragment(context, seed, version, texts):
    text = fragment.Program(seed, version).text()
    texts.append(text)
    program = context.program(vertex_shader=CORNERS.replace("330", version), fragment_shader=text)
    if "un" in program:
        program["un"] = (0x12345678, 0x9abcdef1, 77, 0xffff0001)
    target = context.framebuffer([context.texture((WIDTH, HEIGHT), 4, dtype="u4")])
    target.use()
    target.clear()
    context.vertex_array(program, []).render(moderngl.TRIANGLES, vertices=3)
    return target.read(components=4, dtype="u4")


def draw_geometry(context, seed, version, texts):
    made = geometry.Program(seed, version)
    texts += [made.vertex, made.geometry]
    program = context.program(vertex_shader=made.vertex, geometry_shader=made.geometry, varyings=["w0", "w1"])
    buffer, r = context.buffer(data=b"\xcd" * 65536), made.random
    context.vertex_array(program, []).transform(buffer, r.choice(DRAWN[made.input]), vertices=r.randint(1, 40),
                                                first=r.randint(0, 5), instances=r.choice([1, 1, 2, 3]))
    return buffer.read()


def main():
    kind, version, first, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    draw = {"fragment": draw_fragment, "geometry": draw_geometry}[kind]
    context = moderngl.create_standalone_context(backend="egl", require=int(version))
    context.gc_mode = "auto"
    for seed in range(first, first + count):
        texts = []
        print(seed, hashlib.sha256(draw(context, seed, version, texts)).hexdigest()[:16], flush=True)
        if sys.argv[5:] == ["text"]:
            print(*texts, sep="\n")


main()
