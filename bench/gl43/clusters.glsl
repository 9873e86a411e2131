//! common
const ivec3 GRID = ivec3(16, 9, 24);
const float NEAR = 0.5, FAR = 40.0;
const uint MOST = 64u;
struct light { vec4 place, colour; }; // place: in the view's space, and the reach
layout(std430, binding = 0) readonly buffer lights_ { light lights[256]; };
//! compute
layout(local_size_x = 64) in;
layout(std430, binding = 1) writeonly buffer counts_ { uint counts[]; };
layout(std430, binding = 2) writeonly buffer indices_ { uint indices[]; };
uniform vec2 half_view;
float slice(int i) { return NEAR * pow(FAR / NEAR, float(i) / float(GRID.z)); }
void main() {
    uint cell = gl_GlobalInvocationID.x;
    ivec3 at = ivec3(cell % 16u, cell / 16u % 9u, cell / 144u);
    float near = slice(at.z), far = slice(at.z + 1);
    vec2 a = (vec2(at.xy) / vec2(GRID.xy) * 2.0 - 1.0) * half_view;
    vec2 b = (vec2(at.xy + 1) / vec2(GRID.xy) * 2.0 - 1.0) * half_view;
    vec3 low = vec3(min(a * near, a * far), -far), high = vec3(max(b * near, b * far), -near);
    uint n = 0u;
    for (uint i = 0u; i < 256u && n < MOST; i++) {
        vec4 l = lights[i].place;
        vec3 away = l.xyz - clamp(l.xyz, low, high);
        if (dot(away, away) < l.w * l.w)
            indices[cell * MOST + n++] = i;
    }
    counts[cell] = n;
}
//! vertex
layout(location = 0) in vec3 corner;
layout(location = 1) in vec3 direction;
uniform mat4 view, projection;
uniform vec4 place;
out vec3 point, normal;
void main() {
    vec4 p = view * vec4(place.xyz + place.w * corner, 1.0);
    point = p.xyz;
    normal = mat3(view) * direction;
    gl_Position = projection * p;
}
//! fragment
layout(std430, binding = 1) readonly buffer counts_ { uint counts[]; };
layout(std430, binding = 2) readonly buffer indices_ { uint indices[]; };
in vec3 point, normal;
out vec4 colour;
void main() {
    vec3 n = normalize(normal), sum = vec3(0.04);
    ivec2 tile = ivec2(gl_FragCoord.xy / vec2(80.0, 80.0));
    int layer = clamp(int(log(-point.z / NEAR) / log(FAR / NEAR) * float(GRID.z)), 0, GRID.z - 1);
    uint cell = uint((layer * 9 + tile.y) * 16 + tile.x), count = counts[cell];
    for (uint i = 0u; i < count; i++) {
        light l = lights[indices[cell * MOST + i]];
        vec3 to = l.place.xyz - point;
        float square = dot(to, to), fade = max(1.0 - square / (l.place.w * l.place.w), 0.0);
        sum += l.colour.rgb * (fade * fade * max(dot(n, to) * inversesqrt(square), 0.0));
    }
    colour = vec4(sum / (1.0 + 0.4 * sum), 1.0);
}
