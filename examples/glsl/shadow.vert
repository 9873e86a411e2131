#version 330 core
// Depth as the light sees it.
in vec3 position;
uniform mat4 light_matrix;

void main() {
    gl_Position = light_matrix * vec4(position, 1.0);
}
