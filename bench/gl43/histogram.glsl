//! common
layout(std430, binding = 0) buffer bins_ { uint bins[256]; };
layout(std430, binding = 1) buffer sums_ { uint sums[256]; };
layout(binding = 0) uniform sampler2D picture;
uint bin_of(vec3 c) { return uint(clamp(dot(c, vec3(0.2126, 0.7152, 0.0722)), 0.0, 1.0) * 255.0); }
//! count
layout(local_size_x = 16, local_size_y = 16) in;
shared uint own[256];
void main() {
    ivec2 size = textureSize(picture, 0), first = ivec2(gl_WorkGroupID.xy) * 32 + ivec2(gl_LocalInvocationID.xy);
    own[gl_LocalInvocationIndex] = 0u;
    barrier();
    for (int y = 0; y < 32; y += 16)
        for (int x = 0; x < 32; x += 16) {
            ivec2 at = first + ivec2(x, y);
            if (all(lessThan(at, size)))
                atomicAdd(own[bin_of(texelFetch(picture, at, 0).rgb)], 1u);
        }
    barrier();
    atomicAdd(bins[gl_LocalInvocationIndex], own[gl_LocalInvocationIndex]);
}
//! sum
layout(local_size_x = 256) in;
shared uint part[256];
void main() {
    uint i = gl_LocalInvocationIndex;
    part[i] = bins[i];
    barrier();
    for (uint step_ = 1u; step_ < 256u; step_ *= 2u) {
        uint before = i >= step_ ? part[i - step_] : 0u;
        barrier();
        part[i] += before;
        barrier();
    }
    sums[i] = part[i];
}
//! vertex
void main() { gl_Position = vec4(vec2(gl_VertexID & 1, gl_VertexID >> 1) * 4.0 - 1.0, 0.0, 1.0); }
//! fragment
out vec4 colour;
void main() {
    ivec2 at = ivec2(gl_FragCoord.xy), size = textureSize(picture, 0);
    vec3 c = texelFetch(picture, at, 0).rgb;
    uint bin = bin_of(c);
    float wanted = float(sums[bin]) / float(size.x * size.y), had = max(float(bin) / 255.0, 0.02);
    c = at.x < size.x / 3 ? c : c * (wanted / had);
    uint column = uint(at.x) * 256u / uint(size.x);
    if (float(bins[column]) / float(size.x * size.y) * 3000.0 > float(at.y))
        c = mix(c, vec3(1.0), 0.6);
    colour = vec4(c, 1.0);
}
