//! fragment
uniform sampler2D picture;
uniform vec2 step;
in vec2 at;
out vec4 color;
void main() {
    vec2 p = at * 0.5 + 0.5;
    vec4 sum = texture(picture, p) * 0.204;
    sum += (texture(picture, p + step) + texture(picture, p - step)) * 0.180;
    sum += (texture(picture, p + 2.0 * step) + texture(picture, p - 2.0 * step)) * 0.122;
    sum += (texture(picture, p + 3.0 * step) + texture(picture, p - 3.0 * step)) * 0.064;
    sum += (texture(picture, p + 4.0 * step) + texture(picture, p - 4.0 * step)) * 0.032;
    color = sum;
}
