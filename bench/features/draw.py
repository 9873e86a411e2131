"""Draws workloads of one feature each and prints the processor time of a frame. Usage: draw.py SECONDS VERSION [NAME ...]

Each workload is a function that makes its objects and returns a function that draws frame i. bench/features/compare runs it.
"""
import resource
import sys
import time

import moderngl
import numpy

WIDTH, HEIGHT = 1280, 720
SECONDS, VERSION = float(sys.argv[1]), int(sys.argv[2])
context = moderngl.create_context(standalone=True, backend="egl", require=VERSION)
random = numpy.random.default_rng(7)
works = {}
kept = []  # objects that the current workload's draws need

WHOLE = """#version 330
out vec2 uv;
void main() { vec2 p = vec2(gl_VertexID << 1 & 2, gl_VertexID & 2); uv = p; gl_Position = vec4(p * 2 - 1, 0, 1); }"""
HEAD = f"#version {VERSION}\nin vec2 uv; out vec4 color; uniform float t;\n"


def keep(thing):
    kept.append(thing)
    return thing


def target(components=4, kind="f1", samples=0):
    make = context.renderbuffer if samples else context.texture
    more = {"samples": samples} if samples else {}
    f = keep(context.framebuffer([keep(make((WIDTH, HEIGHT), components, dtype=kind, **more))]))
    f.use()
    f.clear()
    return f


def words(count, kind):
    """Random contents of a buffer or texture."""
    if kind in ("f2", "f4"):
        return random.random(count).astype({"f2": "f2", "f4": "f4"}[kind]).tobytes()
    size = {"1": 1, "2": 2, "4": 4}[kind[1]]
    return random.integers(0, 256, count * size, dtype=numpy.uint8).tobytes()


def texture(size, components, kind, nearest=False):
    t = keep(context.texture(size, components, words(size[0] * size[1] * components, kind), dtype=kind))
    if nearest or kind[0] != "f":
        t.filter = moderngl.NEAREST, moderngl.NEAREST
    else:
        t.build_mipmaps()
        t.filter = moderngl.LINEAR_MIPMAP_LINEAR, moderngl.LINEAR
    return t


def pixels(body, before="", textures=(), **of_target):
    """A fragment program on the whole target, with textures as s0, s1 ..."""
    def begin():
        target(**of_target)
        p = keep(context.program(vertex_shader=WHOLE, fragment_shader=HEAD + before + "void main() {" + body + "}"))
        v = keep(context.vertex_array(p, []))
        for i, arguments in enumerate(textures):
            texture(*arguments).use(i)
            p[f"s{i}"].value = i

        def draw(i):
            if "t" in p:
                p["t"].value = i * 0.1
            v.render(moderngl.TRIANGLES, 3)
        return draw
    return begin


def compute(body, before="", count=1 << 18, kind="f4", local=64):
    """A compute program over two buffers, a and b."""
    def begin():
        type_ = "float" if kind == "f4" else "uint"
        declared = "".join(f"layout(std430, binding = {i}) buffer B{i} {{ {type_} {n}[]; }};\n" for i, n in enumerate("ab"))
        c = keep(context.compute_shader(f"#version 430\nlayout(local_size_x = {local}) in;\n{declared}{before}"
                                        f"void main() {{ uint i = gl_GlobalInvocationID.x; {body} }}"))
        for i in range(2):
            keep(context.buffer(words(count, kind))).bind_to_storage_buffer(i)
        return lambda i: c.run(count // local)
    return begin


def image(body, form, kind, components, type_="image2D"):
    """A compute program from image s to image o."""
    def begin():
        c = keep(context.compute_shader(f"""#version 430
layout(local_size_x = 8, local_size_y = 8) in;
layout({form}, binding = 0) uniform {type_} s; layout({form}, binding = 1) uniform {type_} o;
void main() {{ ivec2 p = ivec2(gl_GlobalInvocationID.xy); {body} }}"""))
        for i in range(2):
            texture((1024, 1024), components, kind, True).bind_to_image(i, True, True)
        return lambda i: c.run(128, 128)
    return begin


def function(expression, before=""):
    """Eight rounds of a function of a vector v."""
    return pixels(f"""vec3 v = vec3(uv, t * .1 + .3) * 3.7 - 1.2, s = vec3(0);
        for (int i = 0; i < 8; i++) {{ s += {expression}; v = v.yzx * 1.1 + .05 * float(i) - s * .01; }}
        color = vec4(s * .05, 1);""", before)


for name, expression in {
        "fract": "fract(v)", "floor": "floor(v)", "round": "round(v)", "sign": "sign(v)", "step": "step(vec3(.3), v)",
        "smoothstep": "smoothstep(vec3(0), vec3(1), v)", "mod": "mod(v, vec3(.7))", "mix": "mix(v, v.zxy, .3)",
        "mix-bool": "mix(v, v.zxy, greaterThan(v, vec3(.5)))", "clamp": "clamp(v, -.5, .9)", "min": "min(v, v.yzx)",
        "abs": "abs(v)", "sqrt": "sqrt(abs(v))", "divide": "v / (v.yzx + 9)", "exp": "exp(v * .2)",
        "log": "log(abs(v) + .1)", "pow": "pow(abs(v), vec3(1.7))", "sin": "sin(v)", "tan": "tan(v)",
        "asin": "asin(clamp(v, -1, 1))", "atan": "atan(v, v.yzx + .1)", "tanh": "tanh(v)", "length": "vec3(length(v))",
        "normalize": "normalize(v + 2)", "cross": "cross(v, v.zxy + .1)", "dot": "vec3(dot(v, v.yzx))",
        "refract": "refract(normalize(v + 2), vec3(0, 0, 1), .8)", "select": "(v.x > v.y ? v : v.zxy)",
        "any": "(any(lessThan(v, vec3(.1))) ? v : v.yzx)", "to-int": "vec3(ivec3(v))", "to-uint": "vec3(uvec3(abs(v)))",
        "inverse": "inverse(mat3(v, v.yzx + 1, v.zxy - 2)) * v", "matrix": "mat3(v, v.yzx, v.zxy) * v",
        "dFdx": "dFdx(v)", "fwidth": "fwidth(v)"}.items():
    works[name] = function(expression)
INTEGERS = "ivec3 I(vec3 v) { return ivec3(v * 1000); } uvec3 U(vec3 v) { return uvec3(abs(v) * 1000); }\n"
for name, expression in {
        "multiply": "vec3(I(v) * I(v.yzx) & 255)", "shift": "vec3((I(v) << (I(v.yzx) & 7)) & 255)", "abs": "vec3(abs(I(v)))",
        "divide-7": "vec3(I(v) / 7)", "modulo-7": "vec3(I(v) % 7)", "divide": "vec3(I(v) / (abs(I(v.yzx)) + 1))",
        "unsigned-modulo": "vec3(U(v) % (U(v.yzx) + 1u))", "compare": "vec3(lessThan(I(v), I(v.yzx)))"}.items():
    works["integer-" + name] = function(expression, INTEGERS)

SAMPLER = "uniform sampler2D s0;\n"
THREE = "texture(s0, uv * 2) + texture(s0, uv * 2 + .3) + texture(s0, uv.yx)"
for kind, most in (("f1", 4), ("f2", 4), ("f4", 4)):
    for n in (1, 2, most):
        works[f"texture-{n}{kind}"] = pixels(f"color = {THREE};", SAMPLER, [((512, 512), n, kind)])
for kind in ("u1", "i2", "u4"):
    works[f"texture-4{kind}"] = pixels(f"color = vec4({THREE});", SAMPLER.replace("sampler", kind[0] + "sampler"),
                                       [((512, 512), 4, kind)])
works["texture-gradients"] = pixels("color = textureGrad(s0, uv * 3, vec2(.002, 0), vec2(0, .003));", SAMPLER,
                                    [((1024, 1024), 4, "f1")])
works["texture-fetch"] = pixels("color = texelFetch(s0, ivec2(gl_FragCoord.xy) & 511, 0);", SAMPLER, [((512, 512), 4, "f4")])
works["texture-size"] = pixels("color = vec4(textureSize(s0, 0).xyxy);", SAMPLER, [((512, 512), 4, "f1")])
works["local-array"] = pixels("""float a[16]; for (int i = 0; i < 16; i++) a[i] = uv.x * float(i) + t;
    float s = 0; for (int i = 0; i < 8; i++) s += a[int(uv.y * 15.9) + i * 3 & 15]; color = vec4(s);""")
works["local-array-random"] = pixels("""float a[16]; for (int i = 0; i < 16; i++) a[i] = uv.x * float(i) + t;
    ivec2 p = ivec2(gl_FragCoord.xy); int n = p.x * 73856093 ^ p.y * 19349663, i;
    for (i = 0; i < 8; i++) a[n + i * 3 & 15] += uv.x;
    float s = 0; for (i = 0; i < 8; i++) s += a[n + i * 5 & 15]; color = vec4(s);""")
works["divergent-loop"] = pixels("""ivec2 p = ivec2(gl_FragCoord.xy); int n = (p.x * 73856093 ^ p.y * 19349663) & 31;
    float s = uv.x; for (int i = 0; i < n; i++) s = s * .9 + uv.y * .1; color = vec4(s);""")
for components, kind in ((1, "f1"), (2, "f2"), (4, "f2"), (1, "f4"), (4, "f4")):
    works[f"target-{components}{kind}"] = pixels("color = vec4(uv, t, .5);", components=components, kind=kind)
works["target-4-samples"] = pixels("color = vec4(uv, t, .5);", samples=4)


def blended(components, kind):
    draw = pixels("color = vec4(uv, t, .5);", components=components, kind=kind)()
    context.enable(moderngl.BLEND)
    return draw


for components, kind in ((4, "f1"), (1, "f1"), (2, "f2"), (1, "f4")):
    works[f"blend-{components}{kind}"] = lambda c=components, k=kind: blended(c, k)


def copies():
    a, b = target(), target()
    return lambda i: context.copy_framebuffer(*((a, b) if i & 1 else (b, a)))


def read_back():
    f = target()

    def draw(i):
        f.clear(i * .01)
        f.read(components=4)
    return draw


def transform_feedback(count=200000):
    p = keep(context.program(vertex_shader="""#version 330
in vec4 x, v; out vec4 ox, ov; void main() { ov = v - x * .02; ox = x + ov * .01; }""", varyings=["ox", "ov"]))
    b = [keep(context.buffer(words(count * 8, "f4"))) for _ in range(2)]
    v = [keep(context.vertex_array(p, [(one, "4f 4f", "x", "v")])) for one in b]
    return lambda i: v[i & 1].transform(b[~i & 1], moderngl.POINTS)


works["copy"], works["read-back"], works["transform-feedback"] = copies, read_back, transform_feedback

if VERSION >= 430:
    gathers = " + ".join(f"textureGather(s0, uv * 2 + .{i}, {i})" for i in range(4))
    works["texture-gather"] = pixels(f"color = {gathers};", SAMPLER, [((512, 512), 4, "f1")])
    works["double"] = pixels("dvec2 z = dvec2(uv); for (int i = 0; i < 8; i++) z = z.yx * z + .1; color = vec4(z, z);")
    for name, expression in {"double-divide": "z / (z.yx + 9.lf)", "double-floor": "floor(z)", "double-sqrt": "sqrt(abs(z))",
                             "double-to-int": "dvec2(ivec2(z))", "double-compare": "dvec2(lessThan(z, z.yx))"}.items():
        works[name] = pixels(f"""dvec2 z = dvec2(uv) * 3.7lf - 1.2lf, s = dvec2(0); for (int i = 0; i < 8; i++) {{
            s += {expression}; z = z.yx * 1.1lf + double(i) * .05lf; }} color = vec4(s, s);""")
    works["compute-sum"] = compute("b[i] = a[i] * 2 + b[i] * .5;")
    works["compute-gather"] = compute("uint h = i * 2654435761u >> 14; b[i] = a[h] + a[h * 7u & 262143u];")
    works["compute-reduce"] = compute("""uint l = gl_LocalInvocationID.x; s[l] = a[i]; barrier();
        for (uint k = 32u; k > 0u; k >>= 1) { if (l < k) s[l] += s[l + k]; barrier(); } b[i] = s[0];""", "shared float s[64];\n")
    works["compute-atomics"] = compute("atomicAdd(b[a[i] & 1023u], 1u);", kind="u4")
    works["compute-counter"] = compute("atomicAdd(s, 1u); barrier(); b[i] = s;", "shared uint s;\n", kind="u4")
    works["compute-bits"] = compute("""uint v = a[i], s = 0u; for (int k = 0; k < 8; k++) {
        s += bitCount(v) + uint(findMSB(v)) + bitfieldExtract(v, k, 9); v = bitfieldInsert(v, s, 3, 11); } b[i] = s;""", kind="u4")
    works["compute-pack"] = compute("""uint v = a[i]; for (int k = 0; k < 4; k++)
        v = packUnorm4x8(unpackUnorm4x8(v).yzwx * .5) ^ packHalf2x16(unpackHalf2x16(v)); b[i] = v;""", kind="u4")
    works["image-4f1"] = image("imageStore(o, p, imageLoad(s, p).bgra);", "rgba8", "f1", 4)
    works["image-4f2"] = image("imageStore(o, p, imageLoad(s, p) * .5);", "rgba16f", "f2", 4)
    works["image-1f4"] = image("imageStore(o, p, imageLoad(s, p) * .5);", "r32f", "f4", 1)
    works["image-atomics"] = image("imageAtomicAdd(o, p >> 2, 1u);", "r32ui", "u4", 1, "uimage2D")


def frames(draw, count):
    """Processor time and time of some frames, each of which is waited for."""
    used, began = resource.getrusage(resource.RUSAGE_SELF), time.time()
    for i in range(count):
        draw(i)
        context.finish()
    now = resource.getrusage(resource.RUSAGE_SELF)
    return now.ru_utime + now.ru_stime - used.ru_utime - used.ru_stime, time.time() - began


for name, begin in works.items():
    if sys.argv[3:] and not name.startswith(tuple(sys.argv[3:])):
        continue
    context.disable(moderngl.BLEND)
    draw = begin()
    frames(draw, 3)
    count = max(1, min(500, int(SECONDS / max(frames(draw, 1)[1], 1e-4))))
    print(name, f"{frames(draw, count)[0] / count * 1e3:.3f}", flush=True)
    kept.clear()
