//! rows
layout(local_size_x = 128) in;
layout(binding = 0) uniform sampler2D source;
layout(binding = 0, rgba8) uniform writeonly image2D target;
const int RADIUS = 6;
shared vec4 line[128 + 2 * RADIUS];
void main() {
    ivec2 size = textureSize(source, 0), at = ivec2(gl_GlobalInvocationID.xy);
    int i = int(gl_LocalInvocationID.x), first = int(gl_WorkGroupID.x) * 128 - RADIUS;
    for (int k = i; k < 128 + 2 * RADIUS; k += 128)
        line[k] = texelFetch(source, ivec2(clamp(first + k, 0, size.x - 1), at.y), 0);
    barrier();
    vec4 sum = vec4(0.0);
    float weights = 0.0;
    for (int k = -RADIUS; k <= RADIUS; k++) {
        float w = exp(-float(k * k) / 12.0);
        sum += w * line[i + RADIUS + k];
        weights += w;
    }
    if (at.x < size.x)
        imageStore(target, at, sum / weights);
}
//! columns
layout(local_size_x = 16, local_size_y = 16) in;
layout(binding = 0) uniform sampler2D source;
layout(binding = 0, rgba8) uniform writeonly image2D target;
const int RADIUS = 6;
shared vec4 block[16 + 2 * RADIUS][16];
void main() {
    ivec2 size = textureSize(source, 0), at = ivec2(gl_GlobalInvocationID.xy);
    ivec2 i = ivec2(gl_LocalInvocationID.xy);
    int first = int(gl_WorkGroupID.y) * 16 - RADIUS;
    for (int k = i.y; k < 16 + 2 * RADIUS; k += 16)
        block[k][i.x] = texelFetch(source, ivec2(at.x, clamp(first + k, 0, size.y - 1)), 0);
    barrier();
    vec4 sum = vec4(0.0);
    float weights = 0.0;
    for (int k = -RADIUS; k <= RADIUS; k++) {
        float w = exp(-float(k * k) / 12.0);
        sum += w * block[i.y + RADIUS + k][i.x];
        weights += w;
    }
    if (at.y < size.y)
        imageStore(target, at, sum / weights);
}
//! vertex
void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); }
//! fragment
layout(binding = 0) uniform sampler2D source;
layout(binding = 1) uniform sampler2D blurred;
out vec4 colour;
void main() {
    ivec2 at = ivec2(gl_FragCoord.xy);
    colour = at.x < 640 ? texelFetch(source, at, 0) : texelFetch(blurred, at, 0);
}
