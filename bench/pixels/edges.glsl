//! fragment
uniform sampler2D picture;
out vec4 color;
void main() {
    ivec2 size = textureSize(picture, 0) - 1, p = ivec2(gl_FragCoord.xy);
    vec3 across = vec3(0.0), up = vec3(0.0);
    for (int y = -2; y <= 2; y++)
        for (int x = -2; x <= 2; x++) {
            vec3 c = texelFetch(picture, clamp(p + ivec2(x, y), ivec2(0), size), 0).rgb;
            across += c * float(x);
            up += c * float(y);
        }
    color = vec4(sqrt(across * across + up * up) * 0.5, 1.0);
}
