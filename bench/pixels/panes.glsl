//! common
uniform vec4 pane; // the lower left corner, the hue, the size
//! vertex
out vec2 at;
void main() {
    at = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4(pane.xy + at * pane.w, 0.0, 1.0);
}
//! fragment
uniform sampler2D picture;
in vec2 at;
out vec4 color;
void main() {
    vec3 tint = 0.5 + 0.5 * cos(6.283 * (pane.z + vec3(0.0, 0.33, 0.67)));
    float rim = smoothstep(0.5, 0.45, max(abs(at.x - 0.5), abs(at.y - 0.5)));
    color = vec4(tint * (0.5 + 0.5 * texture(picture, at).rgb), 0.25 + 0.5 * (1.0 - rim));
}
