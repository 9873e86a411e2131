/* The vertices of a chunk's primitives: for every type, length of runs, index size and spread of
 * indices, each primitive has the vertices that assembly gives, each vertex belongs to a primitive
 * (except at the ends of a piece), and each indexed vertex of an instance is shaded once; at every
 * SIMD level. */
#include "pipeline/front/front_private.h"
#include "tests/test.h"

enum { ELEMENTS = 4000, RUNS = 60 };

struct input {
    uint8_t bytes[4 * ELEMENTS];
    struct element_range range[RUNS];
    struct draw_call call;
    struct call_env env;
    struct draw draw;
    struct vertex_state vertex;
};

static uint32_t expected_index(const struct input *in, uint32_t element) {
    const struct draw_call *c = &in->call;
    if (!c->index_size)
        return element + c->base;
    if (element >= c->index_limit)
        return c->base;
    return load_index(in->bytes + (size_t)element * c->index_size, c->index_size) + c->base;
}

/* Random indices: along a grid, in a narrow range, in a wide range, or all equal. */
static void make_indices(struct input *in) {
    const uint32_t kind = random_below(4), size = in->call.index_size;
    const uint32_t width = 1 + random_below(40);
    const uint32_t from = size == 4 ? random_below(1u << 30) : random_below(60);
    for (uint32_t i = 0; i < ELEMENTS && size; i++) {
        const uint32_t index = kind == 0   ? from + i / 6 + i % 6 / 3 * width
                               : kind == 1 ? from + random_below(1 + ELEMENTS / width)
                               : kind == 2 ? random_below(1u << 30)
                                           : from;
        memcpy(&in->bytes[(size_t)i * size], &index, size);
    }
}

static void make_call(struct input *in) {
    struct draw_call *c = &in->call;
    *c = (struct draw_call){.draw = &in->draw, .env = in->env, .index = in->bytes};
    c->type =
        (uint8_t)(random_below(2) ? random_below(PRIMITIVE_PATCHES) : random_below(ASSEMBLE_TYPES));
    c->index_size = (uint8_t[]){0, 1, 2, 4}[random_below(4)];
    c->index_limit = random_below(4) ? ELEMENTS : ELEMENTS / 2;
    c->base = random_below(3) ? random_below(1000) : (uint32_t)-5;
    c->instance_count = 1 + random_below(3);
    c->instance = random_below(10);
    in->draw.vertex = &in->vertex;
    in->vertex.provoking_last = random_below(2);
    make_indices(in);
    const uint32_t runs = 1 + random_below(2) * random_below(RUNS - 1);
    for (uint32_t i = 0, first = 0; i < runs; i++) {
        const uint32_t most = runs == 1 ? ELEMENTS : 2 * ELEMENTS / RUNS;
        const uint32_t count = random_below(most);
        const uint32_t n = assemble_count(c->type, count);
        if (n && first + count <= ELEMENTS) {
            in->range[c->range_count++] =
                (struct element_range){first, count, c->primitives, 100 * i};
            c->primitives += n;
            first += random_below(4) ? count : 0;
        }
    }
    c->range = in->range;
}

/* The most vertices without a primitive in a piece. Primitives of some types come in pairs;
 * where a piece begins or ends inside a pair, one vertex belongs to the other half only. */
static uint32_t most_unused(const struct input *in) {
    struct assemble_pattern p;
    return assemble_repeats(in->call.type, in->vertex.provoking_last, &p) && p.period == 2 ? 2 : 0;
}

/* Checks that each vertex of the instance that starts at number `from` occurs once; returns where
 * the instance ends. */
static uint32_t check_once(const struct front *f, uint32_t from) {
    uint32_t end = from;
    while (end < f->vertex_count && f->instance[end] == f->instance[from])
        end++;
    for (uint32_t i = from; i < end; i++)
        for (uint32_t k = from; k < i; k++)
            assert_int_not_equal(f->index[i], f->index[k]);
    return end;
}

static void check_primitive(const struct front *f, const struct input *in, uint32_t i,
                            uint64_t number, bool *used) {
    const struct draw_call *c = &in->call;
    const uint32_t primitive = (uint32_t)(number % c->primitives);
    const struct element_range *r = in->range + c->range_count - 1;
    while (r->first_primitive > primitive)
        r--;
    struct assembled a;
    assemble_primitive(c->type, in->vertex.provoking_last, r->count, primitive - r->first_primitive,
                       &a);
    for (unsigned k = 0; k < assemble_vertices(c->type); k++) {
        const uint32_t v = f->prim_vertex[i * assemble_vertices(c->type) + k];
        assert_true(v < f->vertex_count);
        assert_int_equal(f->index[v], expected_index(in, r->first + a.element[k]));
        assert_int_equal(f->instance[v], c->instance + number / c->primitives);
        used[v] = true;
    }
    assert_int_equal(f->prim_id[i], r->first_id + a.id);
    assert_int_equal(f->prim_provoking[i], a.provoking);
    assert_int_equal(f->prim_info[i].edges, a.edges);
    assert_int_equal(f->prim_info[i].start, a.start);
    assert_int_equal(f->prim_info[i].begins, a.begins);
}

TEST(test_elements) {
    static struct input in;
    struct front *f = front_create();
    bool *used = malloc(CHUNK_VERTICES);
    uint64_t checked = 0;
    random_start(5);
    assert_true(f && used);
    for (int n = 0; n < 900; n++) {
        in.draw.simd = (enum simd_level)(n % (simd_best() + 1));
        make_call(&in);
        const uint64_t total = (uint64_t)in.call.primitives * in.call.instance_count;
        if (!total)
            continue;
        const uint32_t room = CHUNK_VERTICES / assemble_vertices(in.call.type);
        const uint32_t most = room < CHUNK_PRIMITIVES ? room : CHUNK_PRIMITIVES;
        const uint64_t first = random_below((uint32_t)total), rest = total - first;
        const struct piece piece = {&in.call, first, (uint32_t)(rest < most ? rest : most)};
        const struct chunk chunk = {&in.call, &piece, 1, piece.count, NULL, 0};
        const uint32_t last = UINT32_MAX - CACHE_ENTRIES - 1 + random_below(4);
        if (n % 16 == 9 &&
            f->cache_base < last) /* the cache's numbers wrap around after 2^32 vertices */
            f->cache_base = last;
        front_assemble(f, &chunk);
        assert_int_equal(f->prim_count, piece.count);
        memset(used, 0, f->vertex_count);
        for (uint32_t i = 0; i < piece.count; i++)
            check_primitive(f, &in, i, first + i, used);
        if (in.call.index_size && n % 8 == 0)
            for (uint32_t from = 0; from < f->vertex_count;)
                from = check_once(f, from);
        uint32_t unused = 0;
        for (uint32_t i = 0; i < f->vertex_count; i++)
            unused += !used[i];
        assert_in_range(unused, 0, most_unused(&in));
        checked += f->vertex_count - unused;
    }
    assert_true(checked > 100000);
    free(used);
    front_free(f);
}

/* Instances that fill a chunk to its last primitive, for each type: all primitives are there, and
 * nothing is written behind them. */
TEST(test_full_chunks) {
    static struct input in;
    struct front *f = front_create();
    bool *used = malloc(CHUNK_VERTICES);
    assert_true(f && used);
    for (uint32_t type = 0; type < PRIMITIVE_PATCHES; type++)
        for (uint32_t instances = 1; instances <= 8; instances *= 2) {
            in.call = (struct draw_call){.draw = &in.draw,
                                         .env = in.env,
                                         .index = in.bytes,
                                         .type = (uint8_t)type,
                                         .instance_count = instances,
                                         .range = in.range,
                                         .range_count = 1};
            in.draw.vertex = &in.vertex;
            in.draw.simd = simd_best();
            uint32_t count = 1;
            while (assemble_count(type, count) < CHUNK_PRIMITIVES / instances)
                count++;
            in.call.primitives = assemble_count(type, count);
            if (in.call.primitives != CHUNK_PRIMITIVES / instances)
                continue;
            in.range[0] = (struct element_range){0, count, 0, 0};
            const struct piece piece = {&in.call, 0, CHUNK_PRIMITIVES};
            const struct chunk chunk = {&in.call, &piece, 1, piece.count, NULL, 0};
            front_assemble(f, &chunk);
            assert_int_equal(f->prim_count, CHUNK_PRIMITIVES);
            for (uint32_t i = 0; i < CHUNK_PRIMITIVES; i++)
                check_primitive(f, &in, i, i, used);
        }
    free(used);
    front_free(f);
}
