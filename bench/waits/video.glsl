//! vertex
out vec2 at;
void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0;
    at = vec2(corner.x, 1.0 - corner.y);
    gl_Position = vec4(corner * 2.0 - 1.0, 0.0, 1.0);
}
//! fragment
uniform sampler2D luma, blue, red;
in vec2 at;
out vec4 color;
void main() {
    float y = 1.164 * (texture(luma, at).r - 0.0625);
    float u = texture(blue, at).r - 0.5, v = texture(red, at).r - 0.5;
    color = vec4(y + 1.596 * v, y - 0.391 * u - 0.813 * v, y + 2.018 * u, 1.0);
}
