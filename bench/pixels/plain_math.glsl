//! fragment
in vec2 at;
out vec4 color;
void main() {
    vec4 a = vec4(at * 1.5, at.x - at.y, at.x * at.y), b = vec4(0.31, -0.17, 0.23, 0.41);
    for (int i = 0; i < 24; i++) {
        float size = dot(a, a);
        a = vec4(a.x * 0.8 - a.y * 0.6, a.x * 0.6 + a.y * 0.8, a.z * 0.96 + a.w * 0.28, a.w * 0.96 - a.z * 0.28);
        a = a * max(1.15 - 0.05 * size, 0.3) + b * 0.05;
        b = min(max(b.yzwx + a * 0.1, -1.0), 1.0);
    }
    color = vec4(0.5 + 0.25 * (a.xyz + b.xyz), 1.0);
}
