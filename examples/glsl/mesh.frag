#version 330 core
in vec3 place, facing;
in vec2 uv;
in vec4 in_light;
uniform sampler2D picture;
uniform sampler2DShadow shadow_map;
uniform struct Light {
    vec3 place, color;
} light;
uniform vec3 eye, ambient;
uniform float shine = 40.0;
out vec4 color;

// The part of the light that arrives: 3 x 3 comparisons around the place in the shadow map.
float visible() {
    vec3 at = in_light.xyz / in_light.w * 0.5 + 0.5;
    float sum = 0.0;
    for (int y = -1; y <= 1; y++)
        for (int x = -1; x <= 1; x++)
            sum += texture(shadow_map, vec3(at.xy + vec2(x, y) / textureSize(shadow_map, 0), at.z));
    return sum / 9.0;
}

void main() {
    vec3 n = normalize(facing), l = normalize(light.place - place), e = normalize(eye - place);
    float diffuse = max(dot(n, l), 0.0);
    float gloss = diffuse > 0.0 ? pow(max(dot(n, normalize(l + e)), 0.0), shine) : 0.0;
    vec3 surface = texture(picture, uv).rgb;
    vec3 lit = surface * diffuse + vec3(0.4 * gloss);
    color = vec4(surface * ambient + lit * light.color * visible(), 1.0);
}
