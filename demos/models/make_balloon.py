#!/usr/bin/env python3
"""Makes the default model of the model scene: balloon.glb (glTF 2.0, binary) and two textures, in this
folder. Needs nothing but Python's standard library; the files it makes are in the tree."""
import json
import math
import struct
import zlib

GORES = 16


def write_png(path, width, height, texel):
    rows = b"".join(
        b"\0" + b"".join(bytes(max(0, min(255, round(c))) for c in texel(x, y)) for x in range(width))
        for y in range(height))

    def chunk(kind, data):
        return (struct.pack(">I", len(data)) + kind + data +
                struct.pack(">I", zlib.crc32(kind + data)))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows, 9)) +
                chunk(b"IEND", b""))


def noise(x, y):
    n = (x * 374761393 + y * 668265263) & 0xffffffff
    n = ((n ^ (n >> 13)) * 1274126177) & 0xffffffff
    return ((n ^ (n >> 16)) & 0xff) / 255 - 0.5


def fabric(x, y, size=512):
    """Striped gores, a blue band with golden diamonds between two zigzags, a dark skirt."""
    u, v = (x + 0.5) / size, (y + 0.5) / size
    gore = u * GORES
    color = (214, 58, 44) if int(gore) % 2 else (247, 232, 204)
    zig = 0.035 * abs((gore % 1) * 2 - 1)
    if v < 0.10 + 2 * zig:
        color = (238, 168, 48)
    if 0.40 + zig < v < 0.66 - zig:
        color = (30, 62, 128)
        across = abs((gore % 1) - 0.5) * 2
        along = abs(v - 0.53) / 0.075
        if across + along < 0.86:
            color = (244, 190, 66)
        if across + along < 0.45:
            color = (214, 58, 44)
    elif 0.385 + zig < v < 0.675 - zig:
        color = (244, 190, 66)
    if v > 0.9:
        color = (52, 40, 60)
    seam = min(gore % 1, 1 - gore % 1) * size / GORES
    shade = (0.72 if seam < 1.0 else 1.0) * (0.8 if (y % 32) == 0 else 1.0)
    grain = 6 * noise(x, y)
    return tuple(c * shade + grain for c in color)


def wicker(x, y):
    """Over and under: horizontal canes woven through upright ones, 16 texels a period."""
    cell_x, cell_y = x // 8, y // 8
    over = (cell_x + cell_y) % 2 == 0
    s = ((x if over else y) % 8 + 0.5) / 8
    t = ((y if over else x) % 8 + 0.5) / 8
    light = (0.55 + 0.45 * math.sin(math.pi * t)) * (0.72 + 0.28 * math.sin(math.pi * s))
    grain = 14 * noise(x // (1 if over else 3), y // (3 if over else 1))
    return tuple(c * light + grain for c in ((186, 134, 76) if over else (168, 116, 62)))


class Model:
    """Meshes of one material each: vertices of position, normal and uv, from the texture's top left."""
    STRIDE = 32  # bytes of a vertex: eight floats

    def __init__(self):
        self.meshes = []

    def material(self, name):
        self.meshes.append((name, [], []))

    def grid(self, rows, columns, point):
        """point(i, j) gives position, normal, uv for i in 0..rows, j in 0..columns."""
        _, vertices, indices = self.meshes[-1]
        first = len(vertices)
        for i in range(rows + 1):
            for j in range(columns + 1):
                p, n, (u, v) = point(i, j)
                vertices.append(tuple(p) + tuple(n) + (u, 1 - v))
        for i in range(rows):
            for j in range(columns):
                a = first + i * (columns + 1) + j
                b = a + columns + 1
                indices += [a, b, b + 1, a, b + 1, a + 1]

    def write(self, path, materials):
        """materials: name to (linear colour, texture file or None)."""
        data, views, accessors, meshes = bytearray(), [], [], []

        def view(content, **more):
            views.append({"buffer": 0, "byteOffset": len(data), "byteLength": len(content), **more})
            data.extend(content + bytes(-len(content) % 4))
            return len(views) - 1

        def accessor(at, offset, component, count, kind, **more):
            accessors.append({"bufferView": at, "byteOffset": offset, "componentType": component,
                              "count": count, "type": kind, **more})
            return len(accessors) - 1

        names, images = list(materials), [t for _, t in materials.values() if t]
        for name, vertices, indices in self.meshes:
            at = view(b"".join(struct.pack("<8f", *v) for v in vertices), byteStride=self.STRIDE)
            bounds = {"min": [min(v[k] for v in vertices) for k in range(3)],
                      "max": [max(v[k] for v in vertices) for k in range(3)]}
            meshes.append({"name": name, "primitives": [{
                "attributes": {"POSITION": accessor(at, 0, 5126, len(vertices), "VEC3", **bounds),
                               "NORMAL": accessor(at, 12, 5126, len(vertices), "VEC3"),
                               "TEXCOORD_0": accessor(at, 24, 5126, len(vertices), "VEC2")},
                "indices": accessor(view(struct.pack("<%dH" % len(indices), *indices)), 0, 5123,
                                    len(indices), "SCALAR"),
                "material": names.index(name)}]})

        def material(name, color, texture):
            pbr = {"baseColorFactor": list(color) + [1], "metallicFactor": 0}
            if texture:
                pbr["baseColorTexture"] = {"index": images.index(texture)}
            return {"name": name, "pbrMetallicRoughness": pbr}

        text = json.dumps({
            "asset": {"version": "2.0", "generator": "make_balloon.py"}, "scene": 0,
            "scenes": [{"nodes": list(range(len(meshes)))}],
            "nodes": [{"name": m["name"], "mesh": i} for i, m in enumerate(meshes)],
            "meshes": meshes, "materials": [material(n, *m) for n, m in materials.items()],
            "images": [{"uri": i} for i in images],
            "textures": [{"source": i} for i in range(len(images))],
            "buffers": [{"byteLength": len(data)}], "bufferViews": views, "accessors": accessors,
        }, separators=(",", ":")).encode()
        text += b" " * (-len(text) % 4)
        with open(path, "wb") as f:
            f.write(struct.pack("<III", 0x46546c67, 2, 12 + 8 + len(text) + 8 + len(data)))
            f.write(struct.pack("<II", len(text), 0x4e4f534a) + text)
            f.write(struct.pack("<II", len(data), 0x004e4942) + data)


def unit(x, y, z):
    length = math.sqrt(x * x + y * y + z * z) or 1
    return (x / length, y / length, z / length)


def revolve(model, profile, columns, u_scale, v_scale, bulge=0):
    """Turns profile, a list of (radius, y), about the y axis; gores bulge out between seams."""
    last = len(profile) - 1
    lengths = [0]
    for a, b in zip(profile, profile[1:]):
        lengths.append(lengths[-1] + math.dist(a, b))

    def point(i, j):
        angle = 2 * math.pi * j / columns
        r, y = profile[i]
        before, after = profile[max(i - 1, 0)], profile[min(i + 1, last)]
        slope = (after[0] - before[0], after[1] - before[1])
        out, up = -slope[1], slope[0]
        phase = abs(math.sin(angle * GORES / 2))
        swell = 1 + bulge * phase
        lean = -bulge * GORES / 2 * math.cos(angle * GORES / 2) * math.copysign(
            1, math.sin(angle * GORES / 2)) if 0 < phase < 0.999 else 0
        c, s = math.cos(angle), math.sin(angle)
        normal = unit(out * c - lean * s * out, up, out * s + lean * c * out)
        return ((r * swell * c, y, r * swell * s), normal,
                (1 - j / columns * u_scale, 1 - lengths[i] / lengths[-1] * v_scale))

    model.grid(last, columns, point)


def tube(model, a, b, radius):
    axis = unit(*(b[k] - a[k] for k in range(3)))
    side = unit(axis[2], 0, -axis[0]) if abs(axis[1]) < 0.99 else (1, 0, 0)
    other = (axis[1] * side[2] - axis[2] * side[1], axis[2] * side[0] - axis[0] * side[2],
             axis[0] * side[1] - axis[1] * side[0])

    def point(i, j):
        angle = 2 * math.pi * j / 6
        n = tuple(side[k] * math.cos(angle) + other[k] * math.sin(angle) for k in range(3))
        end = b if i else a
        return tuple(end[k] + radius * n[k] for k in range(3)), n, (0, 0)

    model.grid(1, 6, point)


def envelope_profile():
    """A sphere's cap that runs into a cone down to the mouth, from the top."""
    radius, center, mouth, turn = 1.5, 2.9, (0.34, 0.72), 1.95
    points = [(radius * math.sin(turn * k / 20), center + radius * math.cos(turn * k / 20))
              for k in range(21)]
    start = points[-1]
    for k in range(1, 13):
        t = k / 12
        bend = 0.09 * math.sin(math.pi * t)
        points.append((start[0] + (mouth[0] - start[0]) * t + bend,
                       start[1] + (mouth[1] - start[1]) * t))
    return points


def main():
    model = Model()
    model.material("fabric")
    revolve(model, envelope_profile(), 64, 1, 1, 0.03)
    model.material("wicker")
    revolve(model, [(0.30, 0.0), (0.305, -0.08), (0.30, -0.16), (0.285, -0.24), (0.26, -0.32)], 24, 6, 2)
    revolve(model, [(0.26, -0.32), (0.0, -0.32)], 24, 6, 1)
    model.material("leather")
    rim = [(0.30 - 0.028 * math.cos(2 * math.pi * k / 8), 0.028 * math.sin(2 * math.pi * k / 8))
           for k in range(9)]
    revolve(model, rim, 24, 1, 1)
    model.material("rope")
    for k in range(8):
        angle = 2 * math.pi * (k + 0.5) / 8
        c, s = math.cos(angle), math.sin(angle)
        tube(model, (0.30 * c, 0, 0.30 * s), (0.345 * c, 0.74, 0.345 * s), 0.009)
    model.material("steel")
    revolve(model, [(0.0, 0.36), (0.07, 0.36), (0.07, 0.36), (0.085, 0.24), (0.0, 0.24)], 16, 1, 1)
    for k in range(4):
        angle = 2 * math.pi * k / 4
        c, s = math.cos(angle), math.sin(angle)
        tube(model, (0.30 * c, 0, 0.30 * s), (0.07 * c, 0.3, 0.07 * s), 0.012)
    model.write("balloon.glb", {
        "fabric": ((1, 1, 1), "balloon_fabric.png"), "wicker": ((1, 1, 1), "balloon_wicker.png"),
        "leather": ((0.42, 0.25, 0.15), None), "rope": ((0.55, 0.47, 0.36), None),
        "steel": ((0.62, 0.64, 0.68), None)})
    write_png("balloon_fabric.png", 512, 512, fabric)
    write_png("balloon_wicker.png", 64, 64, wicker)


main()
