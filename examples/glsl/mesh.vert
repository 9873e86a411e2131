#version 330 core
in vec3 position;
in vec3 normal;
in vec2 texcoord;
uniform mat4 camera_matrix, light_matrix;
out vec3 place, facing;
out vec2 uv;
out vec4 in_light;

void main() {
    place = position;
    facing = normal;
    uv = texcoord;
    in_light = light_matrix * vec4(position, 1.0);
    gl_Position = camera_matrix * vec4(position, 1.0);
}
