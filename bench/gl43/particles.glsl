//! compute
layout(local_size_x = 128) in;
struct particle { vec4 place, speed; };
layout(std430, binding = 0) readonly buffer start_ { particle start[]; };
layout(std430, binding = 1) writeonly buffer moved_ { particle moved[]; };
uniform vec4 attractor[8];
void main() {
    uint i = gl_GlobalInvocationID.x;
    vec3 place = start[i].place.xyz, speed = start[i].speed.xyz;
    for (int n = 0; n < 4; n++) {
        vec3 force = vec3(0.0);
        for (int k = 0; k < 8; k++) {
            vec3 to = attractor[k].xyz - place;
            float near = 1.0 / (dot(to, to) + 0.05);
            force += to * (attractor[k].w * near * sqrt(near));
        }
        speed = 0.995 * speed + 0.02 * force;
        place += 0.02 * speed;
        if (place.y < -0.6) {
            place.y = -1.2 - place.y;
            speed.y = -speed.y;
        }
    }
    moved[i].place = vec4(place, start[i].place.w);
    moved[i].speed = vec4(speed, length(speed));
}
//! vertex
layout(location = 0) in vec4 place;
layout(location = 1) in vec4 speed;
uniform mat4 view_projection;
out vec4 tint;
void main() {
    gl_Position = view_projection * vec4(place.xyz, 1.0);
    gl_PointSize = (6.0 + 8.0 * place.w) / gl_Position.w * 2.0;
    vec3 hot = mix(vec3(0.1, 0.25, 0.7), vec3(1.0, 0.5, 0.15), clamp(speed.w * 0.4, 0.0, 1.0));
    tint = vec4(hot, 0.12 + 0.1 * place.w);
}
//! fragment
in vec4 tint;
out vec4 colour;
void main() {
    vec2 p = 2.0 * gl_PointCoord - 1.0;
    colour = vec4(tint.rgb, tint.a * max(1.0 - dot(p, p), 0.0));
}
