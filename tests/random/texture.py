"""Random textures and samplers, and a program that samples them: targets, formats, levels, swizzles, wrap modes, LODs.

Coordinates and LODs come from a buffer. They keep away from places at which rounding decides: between two levels, and
between minification and magnification.
"""
import ctypes
import math
import random
import struct

GL = ctypes.CDLL("libGL.so.1")
# Targets: GL's number, coordinates, array.
TARGETS = {
    "1D": (0x0de0, 1, False), "2D": (0x0de1, 2, False), "3D": (0x806f, 3, False), "Cube": (0x8513, 3, False),
    "1DArray": (0x8c18, 1, True), "2DArray": (0x8c1a, 2, True), "CubeArray": (0x9009, 3, True),
    "2DRect": (0x84f5, 2, False), "Buffer": (0x8c2a, 1, False),
}
R, RG, RGB, RGBA, BGRA = 0x1903, 0x8227, 0x1907, 0x1908, 0x80e1
RI, RGI, RGBI, RGBAI, DEPTH, DEPTH_STENCIL = 0x8d94, 0x8228, 0x8d98, 0x8d99, 0x1902, 0x84f9
I8, U8, I16, U16, I32, U32, F32, F16 = 0x1400, 0x1401, 0x1402, 0x1403, 0x1404, 0x1405, 0x1406, 0x140b
# Formats: internal format, format, type, bytes a texel (a block), kind.
FORMATS = {
    "R8": (0x8229, R, U8, 1, "unorm"), "RG8": (0x822b, RG, U8, 2, "unorm"), "RGB8": (0x8051, RGB, U8, 3, "unorm"),
    "RGBA8": (0x8058, RGBA, U8, 4, "unorm"), "BGRA8": (0x8058, BGRA, U8, 4, "unorm"),
    "R16": (0x822a, R, U16, 2, "unorm"), "RG16": (0x822c, RG, U16, 4, "unorm"),
    "RGB16": (0x8054, RGB, U16, 6, "unorm"), "RGBA16": (0x805b, RGBA, U16, 8, "unorm"),
    "R8_SNORM": (0x8f94, R, I8, 1, "snorm8"), "RG8_SNORM": (0x8f95, RG, I8, 2, "snorm8"),
    "RGB8_SNORM": (0x8f96, RGB, I8, 3, "snorm8"), "RGBA8_SNORM": (0x8f97, RGBA, I8, 4, "snorm8"),
    "R16_SNORM": (0x8f98, R, I16, 2, "snorm16"), "RG16_SNORM": (0x8f99, RG, I16, 4, "snorm16"),
    "RGBA16_SNORM": (0x8f9b, RGBA, I16, 8, "snorm16"),
    "RGB565": (0x8d62, RGB, 0x8363, 2, "unorm"), "RGBA4": (0x8056, RGBA, 0x8033, 2, "unorm"),
    "RGB5_A1": (0x8057, RGBA, 0x8034, 2, "unorm"), "RGB10_A2": (0x8059, RGBA, 0x8368, 4, "unorm"),
    "SRGB8": (0x8c41, RGB, U8, 3, "srgb"), "SRGB8_ALPHA8": (0x8c43, RGBA, U8, 4, "srgb"),
    "R16F": (0x822d, R, F16, 2, "half"), "RG16F": (0x822f, RG, F16, 4, "half"), "RGB16F": (0x881b, RGB, F16, 6, "half"),
    "RGBA16F": (0x881a, RGBA, F16, 8, "half"),
    "R32F": (0x822e, R, F32, 4, "float"), "RG32F": (0x8230, RG, F32, 8, "float"),
    "RGB32F": (0x8815, RGB, F32, 12, "float"), "RGBA32F": (0x8814, RGBA, F32, 16, "float"),
    "R11F_G11F_B10F": (0x8c3a, RGB, 0x8c3b, 4, "packed"), "RGB9_E5": (0x8c3d, RGB, 0x8c3e, 4, "shared"),
    "R8I": (0x8231, RI, I8, 1, "int"), "R16I": (0x8233, RI, I16, 2, "int"), "R32I": (0x8235, RI, I32, 4, "int"),
    "RG8I": (0x8237, RGI, I8, 2, "int"), "RG16I": (0x8239, RGI, I16, 4, "int"), "RG32I": (0x823b, RGI, I32, 8, "int"),
    "RGB8I": (0x8d8f, RGBI, I8, 3, "int"), "RGB16I": (0x8d89, RGBI, I16, 6, "int"),
    "RGB32I": (0x8d83, RGBI, I32, 12, "int"),
    "RGBA8I": (0x8d8e, RGBAI, I8, 4, "int"), "RGBA16I": (0x8d88, RGBAI, I16, 8, "int"),
    "RGBA32I": (0x8d82, RGBAI, I32, 16, "int"),
    "R8UI": (0x8232, RI, U8, 1, "uint"), "R16UI": (0x8234, RI, U16, 2, "uint"), "R32UI": (0x8236, RI, U32, 4, "uint"),
    "RG8UI": (0x8238, RGI, U8, 2, "uint"), "RG16UI": (0x823a, RGI, U16, 4, "uint"),
    "RG32UI": (0x823c, RGI, U32, 8, "uint"), "RGB8UI": (0x8d7d, RGBI, U8, 3, "uint"),
    "RGB16UI": (0x8d77, RGBI, U16, 6, "uint"), "RGB32UI": (0x8d71, RGBI, U32, 12, "uint"),
    "RGBA8UI": (0x8d7c, RGBAI, U8, 4, "uint"), "RGBA16UI": (0x8d76, RGBAI, U16, 8, "uint"),
    "RGBA32UI": (0x8d70, RGBAI, U32, 16, "uint"), "RGB10_A2UI": (0x906f, RGBAI, 0x8368, 4, "uint"),
    "DEPTH16": (0x81a5, DEPTH, U16, 2, "depth"), "DEPTH24": (0x81a6, DEPTH, U32, 4, "depth"),
    "DEPTH32F": (0x8cac, DEPTH, F32, 4, "depthf"), "DEPTH24_STENCIL8": (0x88f0, DEPTH_STENCIL, 0x84fa, 4, "depth"),
    "DXT1": (0x83f0, 0, 0, 8, "block"), "DXT1A": (0x83f1, 0, 0, 8, "block"), "DXT3": (0x83f2, 0, 0, 16, "block"),
    "DXT5": (0x83f3, 0, 0, 16, "block"), "SRGB_DXT1": (0x8c4c, 0, 0, 8, "block"),
    "SRGB_DXT5": (0x8c4f, 0, 0, 16, "block"),
    "RGTC1": (0x8dbb, 0, 0, 8, "block"), "SRGTC1": (0x8dbc, 0, 0, 8, "block"), "RGTC2": (0x8dbd, 0, 0, 16, "block"),
    "SRGTC2": (0x8dbe, 0, 0, 16, "block"), "BPTC": (0x8e8c, 0, 0, 16, "bptc"), "SRGB_BPTC": (0x8e8d, 0, 0, 16, "bptc"),
    "BPTC_SF": (0x8e8e, 0, 0, 16, "bptc"), "BPTC_UF": (0x8e8f, 0, 0, 16, "bptc"),
}
BUFFER_FORMATS = [f"{c}{b}" for c in ["R", "RG", "RGBA"]
                  for b in ["8", "16", "16F", "32F", "8I", "16I", "32I", "8UI", "16UI", "32UI"]]
# How far results may lie from each other without a linear filter. Integers and floats are exact.
STEP = {"unorm": 2e-6, "snorm8": 2e-6, "snorm16": 2e-6, "srgb": 0.004, "depth": 2e-6, "block": 0.01, "bptc": 0.01}
WRAPS = [0x2901, 0x812f, 0x812d, 0x8370, 0x8743]
NEAREST, LINEAR = 0x2600, 0x2601
WIDTH, HEIGHT = 32, 16


def texels(r, kind, size):
    """Random texels, `size` bytes."""
    if kind == "half":
        return b"".join(struct.pack("<e", r.uniform(-1, 1)) for _ in range(size // 2))
    if kind in ("float", "depthf"):
        return b"".join(struct.pack("<f", r.uniform(-1 if kind == "float" else 0, 1)) for _ in range(size // 4))
    if kind == "packed":
        return b"".join(struct.pack("<I", r.getrandbits(32) & 0xbbdef7bd) for _ in range(size // 4))
    if kind == "shared":
        return b"".join(struct.pack("<I", r.getrandbits(27) | r.randint(5, 15) << 27) for _ in range(size // 4))
    data = bytearray(r.randbytes(size))
    if kind == "snorm8":
        return bytes(data).replace(b"\x80", b"\x81")
    if kind == "snorm16":
        return b"".join(struct.pack("<h", max(v, -32767)) for v, in struct.iter_unpack("<h", data))
    return bytes(data)


def bound_texture(target, unit):
    """GL's number of a new texture, bound to the unit."""
    name = ctypes.c_uint()
    GL.glGenTextures(1, ctypes.byref(name))
    GL.glActiveTexture(0x84c0 + unit)
    GL.glBindTexture(target, name)
    return name.value


def buffer_texture(buffer, internal, unit):
    name = bound_texture(0x8c2a, unit)
    GL.glTexBuffer(0x8c2a, internal, buffer.glo)
    return name


class Texture:
    """target, format, shadow, size, layers, levels, first, last (levels shown) and the sampler's state."""

    def __init__(self, r, version):
        self.random = r
        self.target = r.choice(list(TARGETS) + ["2D", "2D", "3D", "2DArray"])
        self.number, self.coordinates, self.array = TARGETS[self.target]
        names = BUFFER_FORMATS if self.target == "Buffer" else list(FORMATS)
        while True:
            self.format = r.choice(names)
            self.internal, self.transfer, self.type, self.bytes, self.kind = FORMATS[self.format]
            if self.kind == "bptc" and version != "430":
                continue
            if self.kind in ("block", "bptc") and self.target not in ("2D", "2DArray", "Cube", "CubeArray"):
                continue
            if self.kind in ("depth", "depthf") and self.target == "3D":
                continue
            break
        self.integer = self.kind in ("int", "uint")
        self.prefix = {"int": "i", "uint": "u"}.get(self.kind, "")
        self.shadow = self.kind in ("depth", "depthf") and r.random() < 0.7
        side = lambda: r.choice([1, 2, 3, 4, 5, 7, 8, 16, 17, 31, 33, 64, 65, 100, 130])
        w, h, d = side(), side(), min(side(), 33)
        if "Cube" in self.target:
            h = w
        self.size = [w, h, d][:3 if self.target == "3D" else 1 if self.coordinates == 1 else 2]
        self.layers = r.randint(1, 5) if self.array else 1
        one = self.target in ("2DRect", "Buffer")
        most = 1 if one else max(self.size).bit_length()
        self.levels = r.choice([1, most, most, r.randint(1, most)])
        self.first = r.choice([0, 0, r.randrange(self.levels)])
        self.last = r.choice([self.levels - 1, r.randint(self.first, self.levels - 1)])
        self.sampler(r, one)

    def sampler(self, r, one):
        filters = [NEAREST] if self.integer or "Cube" in self.target else [NEAREST, LINEAR]
        self.mag = r.choice(filters)
        self.min = r.choice(filters)
        if not one and r.random() < 0.7:
            self.min = 0x2700 | self.min & 1 | r.choice([0, 0 if self.integer else 2])
        self.wraps = [r.choice(WRAPS[1:3] if one else WRAPS) for _ in range(3)]
        low, high = r.choice([(-1000, 1000)] * 3 + [(0, 1000), (0.78125, 2.28125), (-1000, 1.28125), (1.78125, 1000)])
        self.lods = low, high
        self.bias = r.choice([0, 0, 0.25, -0.75, 1.5])
        self.compare = r.randint(0x200, 0x207) if self.shadow else None
        self.swizzle = r.choice([None, None, [r.choice([0, 1, R, 0x1904, 0x1905, 0x1906]) for _ in range(4)]])
        if self.integer:
            self.border = [r.choice([0, 1, 2, 3]) for _ in range(4)] # in the range of every format
        else:
            self.border = [r.choice([0, 1, 0.25, 0.75]) for _ in range(4)]

    def size_of(self, level):
        return [max(s >> level, 1) for s in self.size]

    def linear(self):
        return (self.mag | self.min) & 1 or self.min & 0x102 == 0x102

    def upload(self, context, unit):
        """Makes the texture, leaves it bound to the unit and returns GL's number of it."""
        if self.target == "Buffer":
            self.held = context.buffer(data=texels(self.random, self.kind, self.bytes * self.size[0]))
            return buffer_texture(self.held, self.internal, unit)
        name = bound_texture(self.number, unit)
        GL.glPixelStorei(0x0cf5, 1)
        for level in range(self.levels):
            w, h, d = (self.size_of(level) + [1, 1])[:3]
            if self.target == "3D":
                self.image(self.number, level, 3, (w, h, d))
            elif self.target == "Cube":
                for face in range(6):
                    self.image(0x8515 + face, level, 2, (w, w))
            elif self.target == "CubeArray":
                self.image(self.number, level, 3, (w, w, 6 * self.layers))
            elif self.target == "1D":
                self.image(self.number, level, 1, (w,))
            elif self.target == "1DArray":
                self.image(self.number, level, 2, (w, self.layers))
            elif self.target == "2DArray":
                self.image(self.number, level, 3, (w, h, self.layers))
            else:
                self.image(self.number, level, 2, (w, h))
        if self.target != "2DRect":
            GL.glTexParameteri(self.number, 0x813c, self.first)
            GL.glTexParameteri(self.number, 0x813d, self.last)
        if self.swizzle:
            GL.glTexParameteriv(self.number, 0x8e46, (ctypes.c_int * 4)(*self.swizzle))
        for key, value in zip((0x2802, 0x2803, 0x8072), self.wraps):
            GL.glTexParameteri(self.number, key, value)
        GL.glTexParameteri(self.number, 0x2801, self.min)
        GL.glTexParameteri(self.number, 0x2800, self.mag)
        for key, value in ((0x813a, self.lods[0]), (0x813b, self.lods[1]), (0x8501, self.bias)):
            GL.glTexParameterf(self.number, key, ctypes.c_float(value))
        if self.integer:
            GL.glTexParameterIiv(self.number, 0x1004, (ctypes.c_int * 4)(*self.border))
        else:
            GL.glTexParameterfv(self.number, 0x1004, (ctypes.c_float * 4)(*self.border))
        if self.shadow:
            GL.glTexParameteri(self.number, 0x884c, 0x884e)
            GL.glTexParameteri(self.number, 0x884d, self.compare)
        return name

    def state(self):
        return (f"{self.target} {self.format}, size {self.size}, {self.layers} layers, {self.levels} levels, shown "
                f"{self.first} to {self.last}, min {self.min:x}, mag {self.mag:x}, wraps {self.wraps}, lods {self.lods}"
                f", bias {self.bias}, compare {self.compare}, swizzle {self.swizzle}, border {self.border}")

    def image(self, target, level, dimensions, size):
        if self.kind in ("block", "bptc"):
            blocks = -(-size[0] // 4) * -(-size[1] // 4) * (size[2] if dimensions == 3 else 1)
            data = texels(self.random, self.kind, self.bytes * blocks)
            call = getattr(GL, f"glCompressedTexImage{dimensions}D")
            call(target, level, self.internal, *size, 0, len(data), data)
        else:
            data = texels(self.random, self.kind, self.bytes * math.prod(size))
            call = getattr(GL, f"glTexImage{dimensions}D")
            call(target, level, self.internal, *size, 0, self.transfer, self.type, data)


class Program:
    """text: the fragment program; positions: two vec4 a pixel: coordinates and layer; reference, LOD, divisor."""

    def __init__(self, seed, version):
        self.random = r = random.Random(seed)
        self.texture = t = Texture(r, version)
        self.version = version
        self.dx, self.dy, self.lod = [0, 0, 0], [0, 0, 0], 0
        self.operation = self.choose()
        self.derivatives()
        kind = f"{t.prefix}sampler{t.target}{'Shadow' if t.shadow else ''}"
        value, type_ = self.call()
        self.result = type_
        word = {"vec4": "floatBitsToUint(v)", "ivec4": "uvec4(v)", "uvec4": "v"}[type_]
        names = ("ARB_texture_cube_map_array", "ARB_texture_gather", "ARB_gpu_shader5", "ARB_texture_query_lod",
                 "ARB_texture_query_levels", "ARB_shader_bit_encoding")
        head = "".join(f"#extension GL_{n} : enable\n" for n in names)
        self.text = (f"#version {version}\n{head}uniform {kind} t;\nuniform samplerBuffer positions;\n"
                     f"out uvec4 o;\n"
                     f"void main() {{\nint at = 2 * (int(gl_FragCoord.y) * {WIDTH} + int(gl_FragCoord.x));\n"
                     f"vec4 p = texelFetch(positions, at), q = texelFetch(positions, at + 1);\n"
                     f"{type_} v = {value};\no = {word};\n}}\n")
        self.positions = [x for y in range(HEIGHT) for x in range(WIDTH) for x in self.position(x, y)]
        self.tolerance = self.how_near()

    def choose(self):
        t, r, o = self.texture, self.random, []
        cube = "Cube" in t.target
        if t.target == "Buffer":
            return r.choice(["fetch", "fetch", "size"])
        if not t.shadow:
            o += ["fetch"] if not cube else []
            o += ["lod"] if t.target != "2DRect" else []
            o += ["proj"] if not t.array and not cube else []
            o += ["grad"] if not cube and not (t.target == "3D" and t.integer) else []
            o += ["gather"] if self.version == "430" and t.coordinates == 2 else []
            o += ["bias"] if t.target != "2DRect" and not cube else []
        else:
            o += ["lod"] if t.target in ("1D", "2D", "1DArray") else []
            o += ["grad"] if t.target in ("1D", "2D", "1DArray", "2DArray", "2DRect") else []
            o += ["gather"] if self.version == "430" and t.coordinates == 2 else []
        o += ["plain"] if not cube else []
        o += ["size", "levels", "querylod"] if self.version == "430" else ["size"]
        if t.target == "2DRect" or cube:
            o = [x for x in o if x not in ("levels", "querylod")]
        return r.choice(o * 3 + ["size"]) if o else "size"

    def derivatives(self):
        """Steps of the coordinates, so that the level lies away from the places where rounding decides."""
        t, r = self.texture, self.random
        base = t.size_of(t.first)
        scale = [1] * 3 if t.target == "2DRect" else base + [1] * 3
        self.bias = r.choice([0.25, -1.5, 2.0]) if self.operation == "bias" else 0
        while True:
            axes = range(t.coordinates)
            self.dx, self.dy = [0, 0, 0], [0, 0, 0]
            self.dx[r.choice(axes)] = r.choice([-1, 1]) * 2 ** r.uniform(-3, 3)
            self.dy[r.choice(axes)] = r.choice([-1, 1]) * 2 ** r.uniform(-3, 3)
            rho = max(max(map(abs, self.dx)), max(map(abs, self.dy)))
            self.dx = [a / b for a, b in zip(self.dx, scale)]
            self.dy = [a / b for a, b in zip(self.dy, scale)]
            if self.settled(math.log2(rho) + t.bias + self.bias):
                return

    def settled(self, lod):
        return abs(lod) > 0.05 and abs(lod % 1 - 0.5) > 0.05

    def position(self, x, y):
        t, r = self.texture, self.random
        if self.operation == "fetch":
            level = r.randint(t.first, t.last) - t.first
            size = t.size_of(t.first + level)
            out = [r.randrange(s) for s in size] + [0, 0]
            return [*out[:3], r.randrange(t.layers), 0, level, 1, 0]
        if self.operation in ("plain", "bias", "querylod", "proj"):
            if x == y == 0:
                self.origin = [r.uniform(-1.5, 1.5) * (30 if t.target == "2DRect" else 1) for _ in range(3)]
            out = [o + x * a + y * b for o, a, b in zip(self.origin, self.dx, self.dy)]
        else:
            out = [r.uniform(-1.5, 2.5) * (t.size[0] if t.target == "2DRect" else 1) for _ in range(3)]
        while True:
            lod = r.randint(-2, 8) + r.choice([0.2, 0.3, 0.7, 0.8])
            if self.settled(lod + t.bias):
                break
        q = r.choice([1, 2, 0.5, 4]) if self.operation == "proj" and x + y == 0 else 1
        if self.operation == "proj":
            self.divisor = q if x + y == 0 else self.divisor
            q = self.divisor
            out = [o * q for o in out]
        layer = r.randint(*((0, t.layers - 1) if "Cube" in t.target else (-1, t.layers))) + r.choice([0.25, -0.25])
        if self.operation in ("plain", "bias", "querylod"):
            layer = 0.25
        return [*out, layer, r.random(), lod, q, 0]

    def call(self):
        """The expression of the sampled value, and its type."""
        t, r, n = self.texture, self.random, self.texture.coordinates
        op = self.operation
        vec = lambda parts: parts[0] if len(parts) == 1 else f"vec{len(parts)}({', '.join(parts)})"
        p = ["p.x", "p.y", "p.z"][:n] + (["p.w"] if t.array else [])
        bare = ["p.x", "p.y", "p.z"][:n]
        if op == "size":
            parts = n - (1 if "Cube" in t.target else 0) + t.array
            lod = "" if t.target in ("2DRect", "Buffer") else f", {r.randint(0, t.last - t.first)}"
            return f"ivec4(textureSize(t{lod}){', 7' * (4 - parts)})", "ivec4"
        if op == "levels":
            return "ivec4(textureQueryLevels(t))", "ivec4"
        if op == "querylod":
            return f"vec4(textureQueryLOD(t, {vec(bare)}), 0.0, 0.0)".replace("LOD", "Lod"), "vec4"
        result = f"{t.prefix}vec4"
        offset = None
        if "Cube" not in t.target and t.target != "Buffer" and op != "fetch" and r.random() < 0.4:
            values = [str(r.randint(-8, 7)) for _ in range(n)]
            offset = values[0] if n == 1 else f"ivec{n}({', '.join(values)})"
        o, f = ("Offset" if offset else ""), (f", {offset}" if offset else "")
        if op == "fetch":
            parts = [f"int({x})" for x in p]
            at = parts[0] if len(parts) == 1 else f"ivec{len(parts)}({', '.join(parts)})"
            lod = "" if t.target in ("2DRect", "Buffer") else ", int(q.y)"
            return f"texelFetch{o}(t, {at}{lod}{f})", result
        if t.shadow:
            if op == "gather":
                return f"textureGather{o}(t, {vec(p)}, q.x{f})", "vec4"
            if t.target == "1D":
                p = ["p.x", "0.0"]
            at = f"{vec(p)}, q.x" if t.target == "CubeArray" else vec(p + ["q.x"])
        else:
            at = vec(p)
        d = (f", {vec([repr(v) for v in self.dx[:n]])}, {vec([repr(v) for v in self.dy[:n]])}")
        if op == "gather":
            component = r.randrange(4)
            if offset and r.random() < 0.4:
                offsets = ", ".join(f"ivec2({r.randint(-8, 7)}, {r.randint(-8, 7)})" for _ in range(4))
                return f"textureGatherOffsets(t, {at}, ivec2[4]({offsets}), {component})", result
            return f"textureGather{o}(t, {at}{f}, {component})", result
        if op == "proj":
            at = vec(bare + ["q.z"])
        text = {"plain": f"texture{o}(t, {at}{f})", "lod": f"textureLod{o}(t, {at}, q.y{f})",
                "grad": f"textureGrad{o}(t, {at}{d}{f})", "proj": f"textureProj{o}(t, {at}{f})",
                "bias": f"texture{o}(t, {at}{f}, {self.bias})"}[op]
        return (f"vec4({text})", "vec4") if t.shadow else (text, result)

    def how_near(self):
        """How far floats may lie from each other; None: results are integers."""
        t = self.texture
        if self.result != "vec4":
            return None
        if self.operation == "querylod":
            return 0.07
        if t.min & 0x102 == 0x102 and self.operation in ("plain", "bias", "proj", "grad"):
            return 0.2
        return 0.03 if t.linear() and self.operation not in ("fetch", "gather") else STEP.get(t.kind, 0)
