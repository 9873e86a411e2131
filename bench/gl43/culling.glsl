//! compute
layout(local_size_x = 64) in;
struct command { uint count, instances, first_index; int first_vertex; uint first_instance; };
layout(std430, binding = 0) readonly buffer balls_ { vec4 ball[]; };
layout(std430, binding = 1) writeonly buffer visible_ { vec4 visible[]; };
layout(std430, binding = 2) buffer commands_ { command list[]; };
uniform mat4 view_projection, view;
vec4 row(int i) { return vec4(view_projection[0][i], view_projection[1][i], view_projection[2][i], view_projection[3][i]); }
bool outside(vec4 plane, vec4 b) { return dot(plane, vec4(b.xyz, 1.0)) < -b.w * length(plane.xyz); }
void main() {
    vec4 b = ball[gl_GlobalInvocationID.x];
    for (int i = 0; i < 3; i++)
        if (outside(row(3) + row(i), b) || outside(row(3) - row(i), b))
            return;
    float depth = -(view * vec4(b.xyz, 1.0)).z;
    uint level = depth < 12.0 * (b.w + 0.5) ? 0u : depth < 40.0 * (b.w + 0.5) ? 1u : 2u;
    uint place = atomicAdd(list[level].instances, 1u);
    visible[list[level].first_instance + place] = b;
}
//! vertex
layout(location = 0) in vec3 place;
layout(location = 1) in vec3 direction;
layout(location = 2) in vec4 ball;
uniform mat4 view_projection;
out vec3 normal;
flat out vec3 tint;
void main() {
    gl_Position = view_projection * vec4(ball.xyz + ball.w * place, 1.0);
    normal = direction;
    tint = 0.55 + 0.45 * cos(ball.xyz * vec3(0.35, 2.1, 0.5) + vec3(0.0, 2.0, 4.0));
}
//! fragment
in vec3 normal;
flat in vec3 tint;
out vec4 colour;
void main() {
    float light = max(dot(normalize(normal), normalize(vec3(0.4, 0.8, 0.5))), 0.0);
    colour = vec4(tint * (0.2 + 0.8 * light), 1.0);
}
