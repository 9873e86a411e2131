"""An ocean in OpenGL 4.3 by moderngl: a compute program makes the heights, tessellation programs make the mesh, a storage
buffer has the waves; drawn off screen on EGL. The picture goes to $PICTURE."""
import array, math

import moderngl
from offscreen_moderngl import context, draw, projection

SIDE, PATCHES, WAVES, FRAMES = 256, 24, 24, 20
HEIGHTS = """
#version 430
layout(local_size_x = 16, local_size_y = 16) in;
layout(std430, binding = 0) buffer waves_ { vec4 waves[]; };
layout(rgba32f, binding = 0) uniform writeonly image2D heights;
uniform float time;
void main() {
    vec2 at = vec2(gl_GlobalInvocationID.xy) / float(imageSize(heights).x);
    vec3 sum = vec3(0.0);
    for (int i = 0; i < waves.length(); i++) {
        float phase = 6.2831853 * dot(waves[i].xy, at) + waves[i].w + time;
        sum += waves[i].z * vec3(sin(phase), waves[i].xy * cos(phase) * 0.5);
    }
    imageStore(heights, ivec2(gl_GlobalInvocationID.xy), vec4(sum, 1.0));
}"""
VERTEX = """
#version 430
in vec2 corner;
void main() { gl_Position = vec4(corner, 0.0, 1.0); }"""
CONTROL = """
#version 430
layout(vertices = 4) out;
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    float far = gl_in[0].gl_Position.y, level = mix(9.0, 3.0, far);
    gl_TessLevelOuter[0] = gl_TessLevelOuter[1] = gl_TessLevelOuter[2] = gl_TessLevelOuter[3] = level;
    gl_TessLevelInner[0] = gl_TessLevelInner[1] = level;
}"""
EVALUATION = """
#version 430
layout(quads, fractional_even_spacing, ccw) in;
uniform mat4 projection;
uniform sampler2D heights;
out vec3 place, normal;
void main() {
    vec2 low = mix(gl_in[0].gl_Position.xy, gl_in[1].gl_Position.xy, gl_TessCoord.x);
    vec2 high = mix(gl_in[3].gl_Position.xy, gl_in[2].gl_Position.xy, gl_TessCoord.x);
    vec2 at = mix(low, high, gl_TessCoord.y);
    vec3 h = textureLod(heights, at, 0.0).xyz;
    place = vec3(8.0 * at.x - 4.0, 0.5 * h.x - 1.0, -1.0 - 8.0 * at.y);
    normal = normalize(vec3(-h.y, 1.6, h.z));
    gl_Position = projection * vec4(place, 1.0);
}"""
FRAGMENT = """
#version 430
in vec3 place, normal;
out vec4 colour;
void main() {
    vec3 n = normalize(normal), v = normalize(-place), l = normalize(vec3(0.3, 0.5, -0.8));
    float mirror = pow(1.0 - max(dot(n, v), 0.0), 4.0);
    vec3 water = mix(vec3(0.02, 0.12, 0.2), vec3(0.5, 0.65, 0.8), mirror);
    colour = vec4(water + 0.8 * pow(max(dot(n, normalize(l + v)), 0.0), 60.0), 1.0);
}"""

gl = context(430)
compute = gl.compute_shader(HEIGHTS)
program = gl.program(vertex_shader=VERTEX, tess_control_shader=CONTROL, tess_evaluation_shader=EVALUATION,
                     fragment_shader=FRAGMENT)
program["projection"].value = projection(27, 0.1, 20.0)
waves = array.array("f", (v for i in range(WAVES) for v in (
    round(6 * math.cos(2.4 * i)), round(6 * math.sin(2.4 * i)) + i // 3, 0.5 / (3 + i), 1.7 * i)))
gl.buffer(waves).bind_to_storage_buffer(0)
heights = gl.texture((SIDE, SIDE), 4, dtype="f4")
heights.filter = (moderngl.LINEAR, moderngl.LINEAR)
corners = array.array("f", ((i + (k in (1, 2))) / PATCHES if axis == 0 else (j + (k > 1)) / PATCHES
                            for j in range(PATCHES) for i in range(PATCHES) for k in range(4) for axis in (0, 1)))
mesh = gl.vertex_array(program, [(gl.buffer(corners), "2f", "corner")])
gl.patch_vertices = 4
gl.enable(moderngl.DEPTH_TEST)


def draw_frame(target, frame):
    compute["time"].value = 0.1 * frame
    heights.bind_to_image(0, read=False, write=True)
    compute.run(SIDE // 16, SIDE // 16)
    gl.memory_barrier() if hasattr(gl, "memory_barrier") else gl.finish()
    target.clear(0.7, 0.75, 0.85)
    heights.use()
    mesh.render(moderngl.PATCHES)


draw(gl, FRAMES, draw_frame)
