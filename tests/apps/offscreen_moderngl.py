"""Code of the programs that draw off screen with moderngl on EGL: a context, a projection, frames, the last to $PICTURE."""
import math, os, struct, time, zlib

import moderngl

WIDTH, HEIGHT = 640, 480


def context(version):
    gl = moderngl.create_standalone_context(backend="egl", require=version)
    print("drawn by", gl.info["GL_RENDERER"])
    return gl


def projection(half_angle, near, far):
    f = 1 / math.tan(math.radians(half_angle))
    return (f * HEIGHT / WIDTH, 0, 0, 0, 0, f, 0, 0, 0, 0, (far + near) / (near - far), -1,
            0, 0, 2 * far * near / (near - far), 0)


def png(path, width, height, rows):
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    raw = b"".join(b"\0" + rows[3 * width * y:3 * width * (y + 1)] for y in reversed(range(height)))
    with open(path, "wb") as f:
        f.write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
                + chunk(b"IDAT", zlib.compress(raw)) + chunk(b"IEND", b""))


def draw(gl, frames, draw_frame):
    """draw_frame(target, number) draws a frame."""
    target = gl.framebuffer([gl.renderbuffer((WIDTH, HEIGHT))], gl.depth_renderbuffer((WIDTH, HEIGHT)))
    target.use()
    begin = time.monotonic()
    for frame in range(frames):
        draw_frame(target, frame)
    pixels = target.read()
    print("%.1f frames/s" % (frames / (time.monotonic() - begin)))
    png(os.environ["PICTURE"], WIDTH, HEIGHT, pixels)
