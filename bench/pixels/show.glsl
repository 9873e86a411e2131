//! fragment
uniform sampler2D picture;
in vec2 at;
out vec4 color;
void main() { color = texture(picture, at * 0.5 + 0.5); }
