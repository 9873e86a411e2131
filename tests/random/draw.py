"""Draws random programs and prints a line for each: its seed and a digest of the results.

    draw.py KIND VERSION FIRST COUNT [text]

KIND: fragment, geometry, varying, texture, tessellation or compute. VERSION: 330 or 430. Runs under one driver, by
moderngl and EGL. text: prints the programs, too. Kinds whose results may differ a little have, in place of the digest,
the tolerance, how many pixels may lie beyond it, and the pixels.
"""
import ctypes
import hashlib
import os
import struct
import sys

import moderngl

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import compute
import fragment
import geometry
import tessellation
import texture
import varying
from texture import GL, HEIGHT, WIDTH

DRAWN = {
    "points": [moderngl.POINTS],
    "lines": [moderngl.LINES, moderngl.LINE_STRIP, moderngl.LINE_LOOP],
    "lines_adjacency": [moderngl.LINES_ADJACENCY, moderngl.LINE_STRIP_ADJACENCY],
    "triangles": [moderngl.TRIANGLES, moderngl.TRIANGLE_STRIP, moderngl.TRIANGLE_FAN],
    "triangles_adjacency": [moderngl.TRIANGLES_ADJACENCY, moderngl.TRIANGLE_STRIP_ADJACENCY],
}
CORNERS = """#version 330
void main() { gl_Position = vec4(gl_VertexID == 1 ? 3.0 : -1.0, gl_VertexID == 2 ? 3.0 : -1.0, 0.0, 1.0); }"""
UN = (0x12345678, 0x9abcdef1, 77, 0xffff0001)


class Exact:
    """Results of which every bit counts."""

    def __init__(self, *parts):
        self.line = hashlib.sha256(b"".join(parts)).hexdigest()[:16]


class Near:
    """Pixels of four floats. `most` of them may lie farther from each other than the tolerance."""

    def __init__(self, tolerance, most, pixels):
        self.line = f"{tolerance} {most} {pixels.hex()}"


def set_un(program):
    if "un" in program:
        program["un"] = UN


def pixels_of(context, program, kind, mode=moderngl.TRIANGLES, vertices=3):
    target = context.framebuffer([context.texture((WIDTH, HEIGHT), 4, dtype=kind)])
    target.use()
    target.clear()
    context.vertex_array(program, []).render(mode, vertices=vertices)
    return target.read(components=4, dtype=kind)


def draw_fragment(context, seed, version, texts):
    text = fragment.Program(seed, version).text()
    texts.append(text)
    program = context.program(vertex_shader=CORNERS.replace("330", version), fragment_shader=text)
    set_un(program)
    return Exact(pixels_of(context, program, "u4"))


def draw_geometry(context, seed, version, texts):
    made = geometry.Program(seed, version)
    texts += [made.vertex, made.geometry]
    program = context.program(vertex_shader=made.vertex, geometry_shader=made.geometry, varyings=["w0", "w1"])
    buffer, r = context.buffer(data=b"\xcd" * 65536), made.random
    target = context.simple_framebuffer((4, 4))  # a draw needs one
    target.use()
    context.vertex_array(program, []).transform(buffer, r.choice(DRAWN[made.input]), vertices=r.randint(1, 40),
                                                first=r.randint(0, 5), instances=r.choice([1, 1, 2, 3]))
    return Exact(buffer.read())


def draw_varying(context, seed, version, texts):
    made = varying.Program(seed, version)
    texts += [made.vertex, made.fragment]
    program = context.program(vertex_shader=made.vertex, fragment_shader=made.fragment)
    block = context.buffer(data=struct.pack("<1024f", *[i * 7 % 61 - 20 for i in range(1024)]))
    block.bind_to_uniform_block(0)
    for i in range(8):
        (GL.glEnable if i < made.clips else GL.glDisable)(0x3000 + i)
    return Near(0.01, 24, pixels_of(context, program, "f4", getattr(moderngl, made.mode), made.vertices))


def draw_texture(context, seed, version, texts):
    made = texture.Program(seed, version)
    texts += [made.texture.state(), made.text]
    program = context.program(vertex_shader=CORNERS.replace("330", version), fragment_shader=made.text)
    positions = context.buffer(data=struct.pack(f"<{len(made.positions)}f", *made.positions))
    names = made.texture.upload(context, 0), texture.buffer_texture(positions, 0x8814, 1)
    GL.glUseProgram(program.glo)
    GL.glUniform1i(GL.glGetUniformLocation(program.glo, b"t"), 0)
    GL.glUniform1i(GL.glGetUniformLocation(program.glo, b"positions"), 1)
    pixels = pixels_of(context, program, "u4")
    GL.glDeleteTextures(2, (ctypes.c_uint * 2)(*names))
    return Exact(pixels) if made.tolerance is None else Near(made.tolerance, 8, pixels)


def draw_tessellation(context, seed, version, texts):
    made = tessellation.Program(seed, version)
    texts += [made.vertex, made.control, made.evaluation]
    program = context.program(vertex_shader=made.vertex, tess_control_shader=made.control,
                              tess_evaluation_shader=made.evaluation, varyings=["e0", "e1", "e2"])
    set_un(program)
    buffer, r, array = context.buffer(data=b"\xcd" * (1 << 21)), made.random, context.vertex_array(program, [])
    target = context.simple_framebuffer((4, 4))
    target.use()
    GL.glUseProgram(program.glo)
    GL.glBindVertexArray(array.glo)
    GL.glPatchParameteri(0x8e72, made.patch)
    GL.glBindBufferBase(0x8c8e, 0, buffer.glo)
    GL.glEnable(0x8c89)
    GL.glBeginTransformFeedback(made.primitive)
    GL.glDrawArraysInstanced(0xe, r.randint(0, 5), made.patch * r.randint(1, 4) + r.randrange(made.patch),
                             r.choice([1, 1, 2]))
    GL.glEndTransformFeedback()
    GL.glDisable(0x8c89)
    return Exact(buffer.read())


def draw_compute(context, seed, version, texts):
    made = compute.Program(seed, version)
    texts.append(made.text)
    program = context.compute_shader(made.text)
    set_un(program)
    results, members = context.buffer(data=b"\1\2\3\4" * 16384), context.buffer(data=made.numbers("f4", 512))
    results.bind_to_storage_buffer(0)
    members.bind_to_storage_buffer(1)
    side, images = compute.SIDE, []
    for binding, (_, components, kind, _) in enumerate(made.images):
        data = made.numbers(kind, side * side * components)
        images.append(context.texture((side, side), components, data, dtype=kind, alignment=1))
        images[-1].bind_to_image(binding, read=True, write=True)
    program.run(*made.grid)
    GL.glMemoryBarrier(0xffffffff)
    return Exact(results.read(), *[image.read(alignment=1) for image in images])


def draw_programs(kind, version, seeds, shows_texts):
    draw = globals()[f"draw_{kind}"]
    context = moderngl.create_standalone_context(backend="egl", require=int(version))
    context.gc_mode = "auto"
    for seed in seeds:
        texts = []
        print(seed, draw(context, seed, version, texts).line, flush=True)
        if context.error != "GL_NO_ERROR":
            raise SystemExit(f"{kind} {seed}: an OpenGL error")
        if shows_texts:
            print(*texts, sep="\n", flush=True)


def main():
    kind, version, first, count = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
    seeds, shows_texts = range(first, first + count), sys.argv[5:] == ["text"]
    if kind != "geometry":
        draw_programs(kind, version, seeds, shows_texts)
        return
    # llvmpipe writes beyond its memory where a program ends a primitive twice, so each program has its own process.
    for seed in seeds:
        child = os.fork()
        if not child:
            draw_programs(kind, version, [seed], shows_texts)
            os._exit(0)
        os.waitpid(child, 0)


main()
