//! fragment
in vec2 at;
out vec4 color;
const int SPHERES = 9;
vec4 sphere(int i) {
    return vec4(float(i % 3) * 2.2 - 2.2, float(i / 3) * 0.5, float(i / 3) * 2.2, 0.7 + 0.1 * float(i % 2));
}
/* The distance along the ray to the nearest sphere, and its number; without a hit the number is -1. */
vec2 hit(vec3 from, vec3 ray) {
    vec2 best = vec2(1e9, -1.0);
    for (int i = 0; i < SPHERES; i++) {
        vec4 s = sphere(i);
        vec3 d = s.xyz - from;
        float along = dot(d, ray), apart = s.w * s.w - dot(d, d) + along * along;
        if (apart > 0.0) {
            float t = along - sqrt(apart);
            if (t > 0.01 && t < best.x)
                best = vec2(t, float(i));
        }
    }
    return best;
}
void main() {
    vec3 from = vec3(0.0, 2.0, -6.0), ray = normalize(vec3(at.x * 1.6, at.y * 0.9 - 0.3, 1.7));
    vec3 sun = normalize(vec3(-0.5, 0.8, -0.4)), sum = vec3(0.0), part = vec3(1.0);
    for (int bounce = 0; bounce < 3; bounce++) {
        vec2 h = hit(from, ray);
        float ground = ray.y < -0.001 ? (-0.8 - from.y) / ray.y : 1e9;
        if (min(h.x, ground) > 1e8) {
            sum += part * mix(vec3(0.8), vec3(0.3, 0.5, 0.9), clamp(ray.y, 0.0, 1.0));
            break;
        }
        vec3 n = vec3(0.0, 1.0, 0.0), own;
        if (h.x < ground) {
            vec4 s = sphere(int(h.y));
            from += ray * h.x;
            n = (from - s.xyz) / s.w;
            own = 0.5 + 0.5 * cos(vec3(0.0, 2.0, 4.0) + h.y);
        } else {
            from += ray * ground;
            vec2 tile = floor(from.xz);
            own = vec3(0.3 + 0.5 * mod(tile.x + tile.y, 2.0));
        }
        float lit = hit(from, sun).y < 0.0 ? max(dot(n, sun), 0.0) : 0.0;
        sum += part * own * (0.2 + 0.8 * lit) * 0.6;
        part *= 0.4;
        ray = reflect(ray, n);
    }
    color = vec4(sum, 1.0);
}
