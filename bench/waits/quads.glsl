//! common
uniform vec4 box;
uniform vec2 number;
//! vertex
out vec2 at;
void main() {
    at = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4(box.xy + at * box.zw, number.y, 1.0);
}
//! fragment
uniform sampler2D picture;
in vec2 at;
out vec4 color;
void main() {
    color = vec4(texture(picture, at).rgb * (1.0 - 0.5 * number.x), number.x);
}
