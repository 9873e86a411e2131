//! common
layout(binding = 0) uniform sampler2D noise;
uniform mat4 view_projection;
uniform vec3 eye;
float height_at(vec2 p, float lod) { return 3.2 * textureLod(noise, p * 0.05, lod).r - 1.4; }
//! vertex
layout(location = 0) in vec2 corner;
void main() { gl_Position = vec4(corner.x, height_at(corner, 3.0), corner.y, 1.0); }
//! control
layout(vertices = 4) out;
float level(int a, int b) {
    vec3 middle = 0.5 * (gl_in[a].gl_Position.xyz + gl_in[b].gl_Position.xyz);
    return clamp(60.0 / distance(middle, eye), 1.0, 16.0);
}
void main() {
    gl_out[gl_InvocationID].gl_Position = gl_in[gl_InvocationID].gl_Position;
    if (gl_InvocationID == 0) {
        gl_TessLevelOuter[0] = level(0, 2);
        gl_TessLevelOuter[1] = level(0, 1);
        gl_TessLevelOuter[2] = level(1, 3);
        gl_TessLevelOuter[3] = level(2, 3);
        gl_TessLevelInner[0] = max(gl_TessLevelOuter[1], gl_TessLevelOuter[3]);
        gl_TessLevelInner[1] = max(gl_TessLevelOuter[0], gl_TessLevelOuter[2]);
    }
}
//! evaluation
layout(quads, fractional_odd_spacing, cw) in;
out vec3 world;
void main() {
    vec3 low = mix(gl_in[0].gl_Position.xyz, gl_in[1].gl_Position.xyz, gl_TessCoord.x);
    vec3 high = mix(gl_in[2].gl_Position.xyz, gl_in[3].gl_Position.xyz, gl_TessCoord.x);
    world = mix(low, high, gl_TessCoord.y);
    world.y = height_at(world.xz, 0.0);
    gl_Position = view_projection * vec4(world, 1.0);
}
//! fragment
in vec3 world;
out vec4 colour;
void main() {
    const float step_ = 0.04;
    float dx = height_at(world.xz + vec2(step_, 0.0), 0.0) - height_at(world.xz - vec2(step_, 0.0), 0.0);
    float dz = height_at(world.xz + vec2(0.0, step_), 0.0) - height_at(world.xz - vec2(0.0, step_), 0.0);
    vec3 normal = normalize(vec3(-dx, 2.0 * step_, -dz));
    vec3 stone = texture(noise, world.xz * 0.7).gba;
    vec3 grass = vec3(0.25, 0.42, 0.16) * (0.6 + 0.8 * stone.r);
    vec3 ground = mix(stone, grass, smoothstep(0.55, 0.8, normal.y));
    ground = mix(ground, vec3(0.95), smoothstep(0.65, 0.95, world.y));
    float light = 0.25 + 0.85 * max(dot(normal, normalize(vec3(0.5, 0.6, 0.3))), 0.0);
    float fog = 1.0 - exp(-0.035 * distance(world, eye));
    colour = vec4(mix(ground * light, vec3(0.55, 0.65, 0.8), fog), 1.0);
}
