"""A torus, lit and textured by a shader, drawn off screen with moderngl on EGL; the picture goes to $PICTURE."""
import array, math

import moderngl
from offscreen_moderngl import context, draw, projection

RINGS, SIDES, FRAMES = 96, 48, 60
VERTEX = """
#version 330
uniform mat4 projection; uniform float angle;
in vec2 around; out vec3 normal, place; out vec2 at;
void main() {
    vec2 c = vec2(cos(around.x), sin(around.x)), s = vec2(cos(around.y), sin(around.y));
    vec3 n = vec3(c.x * s.x, c.y * s.x, s.y), p = vec3(c * (1.0 + 0.4 * s.x), 0.4 * s.y);
    mat3 turn = mat3(1, 0, 0, 0, cos(angle), sin(angle), 0, -sin(angle), cos(angle));
    normal = turn * n; place = turn * p - vec3(0, 0, 3); at = around * vec2(12, 6) / 6.2831853;
    gl_Position = projection * vec4(place, 1);
}"""
FRAGMENT = """
#version 330
uniform sampler2D checks;
in vec3 normal, place; in vec2 at; out vec4 colour;
void main() {
    vec3 n = normalize(normal), l = normalize(vec3(1, 2, 3)), h = normalize(l - normalize(place));
    vec3 base = texture(checks, at).rgb;
    colour = vec4(base * (0.15 + 0.8 * max(dot(n, l), 0.0)) + pow(max(dot(n, h), 0.0), 40.0), 1);
}"""

gl = context(330)
program = gl.program(vertex_shader=VERTEX, fragment_shader=FRAGMENT)
program["projection"].value = projection(25, 0.1, 10.0)
texels = bytes(v for y in range(64) for x in range(64) for v in ((230, 160, 40) if (x ^ y) & 32 else (40, 90, 200)))
checks = gl.texture((64, 64), 3, texels)
checks.build_mipmaps()
checks.use()
corners = array.array("f", (v for i in range(RINGS + 1) for j in range(SIDES + 1)
                            for v in (i * math.tau / RINGS, j * math.tau / SIDES)))
across = SIDES + 1
index = array.array("I", (k for i in range(RINGS) for j in range(SIDES) for a in [i * across + j]
                          for k in (a, a + across, a + 1, a + 1, a + across, a + across + 1)))
mesh = gl.vertex_array(program, [(gl.buffer(corners), "2f", "around")], gl.buffer(index))
gl.enable(moderngl.DEPTH_TEST | moderngl.CULL_FACE)


def draw_frame(target, frame):
    target.clear(0.1, 0.1, 0.15)
    program["angle"].value = 0.02 * frame - 1.6
    mesh.render()


draw(gl, FRAMES, draw_frame)
