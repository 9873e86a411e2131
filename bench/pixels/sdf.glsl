//! fragment
in vec2 at;
out vec4 color;
float box(vec3 p, vec3 size) {
    vec3 d = abs(p) - size;
    return length(max(d, 0.0)) + min(max(d.x, max(d.y, d.z)), 0.0);
}
float torus(vec3 p, vec2 radii) { return length(vec2(length(p.xz) - radii.x, p.y)) - radii.y; }
float scene(vec3 p) {
    vec3 cell = vec3(mod(p.x + 2.0, 4.0) - 2.0, p.y, mod(p.z + 2.0, 4.0) - 2.0);
    float d = min(torus(cell, vec2(1.1, 0.3)), box(cell - vec3(0.0, 0.6, 0.0), vec3(0.4)) - 0.1);
    d = max(d, -(length(cell - vec3(0.3, 0.9, 0.3)) - 0.4));
    return min(d, p.y + 0.8);
}
vec3 normal(vec3 p) {
    vec2 e = vec2(0.002, -0.002);
    return normalize(e.xyy * scene(p + e.xyy) + e.yyx * scene(p + e.yyx) + e.yxy * scene(p + e.yxy) + e.xxx * scene(p + e.xxx));
}
float shadow(vec3 from, vec3 to) {
    float t = 0.05, lit = 1.0;
    for (int i = 0; i < 16; i++) {
        float d = scene(from + to * t);
        lit = min(lit, 8.0 * d / t);
        t += clamp(d, 0.03, 0.4);
    }
    return clamp(lit, 0.0, 1.0);
}
void main() {
    vec3 eye = vec3(1.5, 2.0, -5.0), ray = normalize(vec3(at.x * 1.6, at.y * 0.9 - 0.35, 1.6));
    float t = 0.0;
    for (int i = 0; i < 48; i++) {
        float d = scene(eye + ray * t);
        if (d < 0.001 * t || t > 30.0)
            break;
        t += d;
    }
    vec3 sky = mix(vec3(0.7, 0.8, 0.9), vec3(0.2, 0.4, 0.8), clamp(ray.y + 0.4, 0.0, 1.0));
    if (t > 30.0) {
        color = vec4(sky, 1.0);
        return;
    }
    vec3 p = eye + ray * t, n = normal(p), sun = normalize(vec3(0.5, 0.8, -0.4));
    float light = max(dot(n, sun), 0.0) * shadow(p, sun) + 0.25;
    color = vec4(mix(vec3(0.9, 0.6, 0.4) * light, sky, 1.0 - exp(-0.004 * t * t)), 1.0);
}
