//! vertex
out vec2 at;
void main() {
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0;
    at = corner;
    gl_Position = vec4(corner, 0.0, 1.0);
}
//! fragment
uniform sampler2D picture;
in vec2 at;
out vec4 color;
void main() { color = texture(picture, at * 0.5 + 0.5); }
