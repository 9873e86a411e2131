//! fragment
in vec2 at;
out vec4 color;
void main() {
    vec2 p = at * 3.0;
    vec3 sum = vec3(0.0);
    for (int i = 1; i <= 8; i++) {
        float k = float(i);
        float a = atan(p.y, p.x) * k, r = length(p) + 0.1;
        sum.r += sin(a + pow(r, 1.3)) / k;
        sum.g += cos(a * 0.5 - log2(r) * 2.0) * exp2(-r / k);
        sum.b += sqrt(abs(sin(p.x * k) * cos(p.y * k))) / (1.0 + r);
        p = vec2(p.x * cos(0.4) - p.y * sin(0.4), p.x * sin(0.4) + p.y * cos(0.4)) + tanh(sum.rg) * 0.3;
    }
    color = vec4(0.5 + 0.25 * sum, 1.0);
}
