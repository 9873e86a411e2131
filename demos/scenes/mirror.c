/* mirror: a game of chess on a varnished board before a round mirror. Shows the stencil test:
 * board and glass mark the pixels where they are visible. A mirrored matrix draws the mirrored
 * scene at the marked pixels. Clip distances cut off objects behind the mirror: their mirror images
 * would appear in front of the mirror. Finally the board and the glass are blended over their
 * reflections. */
#include "demos/shapes.h"

enum { BOARD_TEXELS = 512, WOOD_TEXELS = 256, PIECES = 15 };
enum { PAWN, ROOK, BISHOP, QUEEN, KING, KINDS };
enum { IN_BOARD = 1, IN_GLASS = 2 }; /* stencil values */

struct constants { /* c0[] of all passes */
    struct mat4 view_projection;
    struct vec4 plane;  /* 0x40: of the mirror */
    struct vec4 eye;    /* 0x50 */
    struct vec4 lamp;   /* 0x60: direction */
    float slant[2];     /* 0x70: offset of a shadow for each unit of height */
    uint32_t pieces, _; /* 0x78: bytes of c1[] */
    struct vec4 glass;  /* 0x80: centre; w: 1 / radius */
};

/* c0[] of the walls: as struct demo_rays, but 0x50 and 0x60 as in struct constants */
struct room_constants {
    struct vec4 eye, right, up, forward, unused;
    struct vec4 eye_again, lamp; /* 0x50, 0x60 */
};

struct piece_shadow { /* c1[] */
    float x, z, length, inverse_square, radius, unused[3];
};

struct mirror {
    struct demo_pass thing, board, glass, mark;
    struct demo_cover room;
    struct demo_things things;
    uint32_t pieces, frame, glass_mesh, field, wood; /* numbers of meshes */
    struct piece_shadow shadow[PIECES];
    tp_texture *board_texels, *wood_texels;
};

static const struct piece {
    int kind, file, rank; /* 0 to 7 */
    bool black;
} pieces[PIECES] = {
    {KING, 6, 7, false}, {QUEEN, 3, 4, false}, {ROOK, 5, 7, false}, {BISHOP, 1, 5, false},
    {PAWN, 5, 6, false}, {PAWN, 6, 6, false},  {PAWN, 0, 4, false}, {PAWN, 4, 3, false},
    {KING, 2, 0, true},  {QUEEN, 6, 3, true},  {ROOK, 3, 0, true},  {BISHOP, 5, 2, true},
    {PAWN, 1, 1, true},  {PAWN, 2, 1, true},   {PAWN, 7, 4, true},
};
static const float radii[KINDS] = {0.30f, 0.36f, 0.34f, 0.38f, 0.40f};
static const float heights[KINDS] = {1.05f, 1.20f, 1.60f, 1.95f, 2.2f};
static const float glass_radius = 2.9f;

static const struct vec4 ivory = {0.66f, 0.53f, 0.34f, 0}, ebony = {0.028f, 0.016f, 0.012f, 0};
static const struct vec4 brass = {0.95f, 0.66f, 0.25f, 1};

/* ---- The pieces ---- */

static bool make_pieces(struct demo *demo, struct demo_mesh *mesh[KINDS]) {
    static const struct demo_corner pawn[] = {
        {0.30f, 0, true},      {0.30f, 0.08f, true},  {0.27f, 0.16f, false}, {0.20f, 0.24f, true},
        {0.13f, 0.34f, false}, {0.10f, 0.62f, true},  {0.20f, 0.66f, false}, {0.20f, 0.70f, false},
        {0.10f, 0.72f, true},  {0.16f, 0.70f, false}, {0.26f, 0.78f, false}, {0.26f, 0.96f, false},
        {0.16f, 1.05f, false}, {0, 1.05f, true}};
    static const struct demo_corner rook[] = {
        {0.36f, 0, true},      {0.36f, 0.10f, true}, {0.32f, 0.19f, false}, {0.25f, 0.28f, true},
        {0.19f, 0.40f, false}, {0.17f, 0.84f, true}, {0.26f, 0.90f, true},  {0.26f, 1.20f, true},
        {0.19f, 1.20f, true},  {0.19f, 1.08f, true}, {0, 1.08f, true}};
    static const struct demo_corner bishop[] = {
        {0.34f, 0, true},      {0.34f, 0.09f, true},  {0.30f, 0.18f, false}, {0.22f, 0.27f, true},
        {0.14f, 0.40f, false}, {0.10f, 0.92f, true},  {0.20f, 0.97f, false}, {0.20f, 1.01f, false},
        {0.11f, 1.04f, true},  {0.18f, 1.04f, false}, {0.27f, 1.14f, false}, {0.21f, 1.30f, false},
        {0.05f, 1.47f, true},  {0.10f, 1.49f, false}, {0.10f, 1.60f, false}, {0, 1.60f, true}};
    static const struct demo_corner queen[] = {
        {0.38f, 0, true},      {0.38f, 0.10f, true},  {0.34f, 0.20f, false}, {0.26f, 0.30f, true},
        {0.16f, 0.46f, false}, {0.11f, 1.20f, true},  {0.24f, 1.27f, false}, {0.24f, 1.32f, false},
        {0.13f, 1.36f, true},  {0.17f, 1.56f, false}, {0.26f, 1.74f, true},  {0.20f, 1.77f, true},
        {0.10f, 1.80f, true},  {0.10f, 1.88f, false}, {0.07f, 1.95f, false}, {0, 1.95f, true}};
    static const struct demo_corner king[] = {
        {0.40f, 0, true},      {0.40f, 0.10f, true},  {0.36f, 0.21f, false}, {0.27f, 0.31f, true},
        {0.17f, 0.48f, false}, {0.13f, 1.28f, true},  {0.25f, 1.35f, false}, {0.25f, 1.40f, false},
        {0.15f, 1.44f, true},  {0.18f, 1.60f, false}, {0.25f, 1.80f, true},  {0.20f, 1.88f, false},
        {0.06f, 1.92f, true},  {0, 1.92f, true}};
    return demo_make_lathe(demo, mesh[PAWN], pawn, 14, 36) &&
           demo_make_lathe(demo, mesh[ROOK], rook, 11, 36) &&
           demo_make_lathe(demo, mesh[BISHOP], bishop, 16, 36) &&
           demo_make_lathe(demo, mesh[QUEEN], queen, 16, 36) &&
           demo_make_lathe(demo, mesh[KING], king, 14, 36);
}

static struct mat4 on_square(const struct piece *p) {
    return mat4_translate(v3((float)p->file - 3.5f, 0, (float)p->rank - 3.5f));
}

static struct vec4 side(const struct piece *p) {
    return p->black ? ebony : ivory;
}

static struct mat4 part(const struct piece *p, struct vec3 at, struct vec3 size) {
    return mat4_mul(on_square(p), mat4_mul(mat4_translate(at), mat4_scale(size)));
}

/* Merlons of rooks, crosses of kings. */
static void add_boxes(struct demo_things *things) {
    for (const struct piece *p = pieces; p < pieces + PIECES; p++) {
        for (int i = 0; p->kind == ROOK && i < 5; i++) {
            const struct mat4 turn = mat4_rotate_y(2 * DEMO_PI * i / 5 + 0.3);
            const struct mat4 box = part(p, v3(0, 0, 0), v3(1, 1, 1));
            demo_add(things,
                     mat4_mul(mat4_mul(box, turn), mat4_mul(mat4_translate(v3(0.225f, 1.24f, 0)),
                                                            mat4_scale(v3(0.034f, 0.06f, 0.085f)))),
                     side(p));
        }
        if (p->kind == KING) {
            demo_add(things, part(p, v3(0, 2.05f, 0), v3(0.032f, 0.15f, 0.032f)), side(p));
            demo_add(things, part(p, v3(0, 2.08f, 0), v3(0.10f, 0.032f, 0.03f)), side(p));
        }
    }
}

/* The crowns of queens. */
static void add_pearls(struct demo_things *things) {
    for (const struct piece *p = pieces; p < pieces + PIECES; p++)
        for (int i = 0; p->kind == QUEEN && i < 9; i++) {
            const double angle = 2 * DEMO_PI * i / 9;
            const struct vec3 at = {0.24f * (float)demo_cos(angle), 1.78f,
                                    0.24f * (float)demo_sin(angle)};
            demo_add(things, part(p, at, v3(0.045f, 0.045f, 0.045f)), side(p));
        }
}

static void cast_shadows(struct mirror *m, const struct constants *c) {
    const float slant2 = c->slant[0] * c->slant[0] + c->slant[1] * c->slant[1];
    for (int i = 0; i < PIECES; i++) {
        const struct piece *p = &pieces[i];
        const float length = heights[p->kind];
        m->shadow[i] = (struct piece_shadow){(float)p->file - 3.5f, (float)p->rank - 3.5f, length,
                                             1 / (slant2 * length), radii[p->kind],        {0}};
    }
}

/* ---- Board, table, mirror ---- */

/* Returns the shade of wood: bent rings, and fine fibres. */
static float wood(uint32_t x, uint32_t y, uint32_t seed) {
    const float u = (float)x / WOOD_TEXELS, v = (float)y / WOOD_TEXELS;
    const float bend = 0.6f * (float)demo_sin(2 * DEMO_PI * (double)v + seed) +
                       0.3f * (float)demo_sin(4 * DEMO_PI * (double)v + 2.0 * seed);
    const float ring =
        (float)demo_sin(2 * DEMO_PI * (6 * (double)u) + 2.2 * (double)bend + 1.7 * seed);
    return 0.82f + 0.13f * ring + 0.12f * (demo_random(x * 7919 + y / 24 + 31 * seed) - 0.5f);
}

static void paint(uint8_t texel[4], struct vec3 color, float shade) {
    texel[0] = (uint8_t)demo_clamp(255 * color.x * shade, 0, 255);
    texel[1] = (uint8_t)demo_clamp(255 * color.y * shade, 0, 255);
    texel[2] = (uint8_t)demo_clamp(255 * color.z * shade, 0, 255);
    texel[3] = 255;
}

static bool make_textures(struct demo *demo) {
    static const struct vec3 light = {0.86f, 0.70f, 0.47f}, dark = {0.42f, 0.22f, 0.13f};
    static const struct vec3 table = {0.34f, 0.20f, 0.15f};
    struct mirror *m = demo->state;
    uint8_t(*texels)[4] = demo_memory(demo, BOARD_TEXELS * BOARD_TEXELS * 4);
    if (!texels)
        return false;
    for (uint32_t i = 0; i < BOARD_TEXELS * BOARD_TEXELS; i++) {
        const uint32_t x = i % BOARD_TEXELS, y = i / BOARD_TEXELS, side = BOARD_TEXELS / 8;
        const uint32_t square = x / side + 9 * (y / side);
        const bool is_dark = (x / side + y / side) & 1;
        paint(texels[i], is_dark ? dark : light,
              wood((y + 37 * square) % WOOD_TEXELS, (x + 101 * square) % WOOD_TEXELS, square % 5));
    }
    m->board_texels = demo_texture(demo, TP_FORMAT_RGBA8, BOARD_TEXELS, BOARD_TEXELS, true, texels);
    for (uint32_t i = 0; i < WOOD_TEXELS * WOOD_TEXELS; i++)
        paint(texels[i], table, wood(i / WOOD_TEXELS, i % WOOD_TEXELS, 2));
    m->wood_texels = demo_texture(demo, TP_FORMAT_RGBA8, WOOD_TEXELS, WOOD_TEXELS, true, texels);
    return m->board_texels && m->wood_texels;
}

/* Returns the mirror's matrix at a time: in its coordinates the glass is the plane y = 0. */
static struct mat4 mirror_place(double time) {
    const struct mat4 turn =
        mat4_mul(mat4_rotate_y(0.22 * demo_sin(0.5 * time)), mat4_rotate_x(DEMO_PI / 2 - 0.06));
    return mat4_mul(mat4_translate(v3(0, 2.75f, -5.6f)), turn);
}

static bool add_mirror(struct demo *demo) {
    static const struct demo_corner frame[] = {
        {0, -0.25f, true},     {3.15f, -0.25f, true}, {3.30f, -0.12f, true}, {3.36f, 0.0f, false},
        {3.34f, 0.16f, false}, {3.20f, 0.14f, true},  {3.10f, 0.20f, false}, {2.98f, 0.20f, false},
        {2.90f, 0.05f, true},  {2.90f, -0.02f, true}};
    static const struct demo_corner glass[] = {{2.9f, 0, true}, {0, 0, true}};
    struct mirror *m = demo->state;
    m->frame = m->things.meshes;
    struct demo_mesh *ring = demo_add_mesh(&m->things);
    demo_add(&m->things, mirror_place(0), brass);
    m->glass_mesh = m->things.meshes;
    struct demo_mesh *disc = demo_add_mesh(&m->things);
    demo_add(&m->things, mirror_place(0), ivory);
    return demo_make_lathe(demo, ring, frame, 10, 96) && demo_make_lathe(demo, disc, glass, 2, 64);
}

static bool add_board(struct demo *demo) {
    static const struct demo_corner top[] = {{40, 0, true}, {0, 0, true}};
    struct mirror *m = demo->state;
    m->field = m->things.meshes;
    struct demo_mesh *field = demo_add_mesh(&m->things);
    demo_add(&m->things, mat4_mul(mat4_translate(v3(0, -0.1f, 0)), mat4_scale(v3(4, 0.1f, 4))),
             (struct vec4){0.125f, 0.5f, 1, 0});
    m->wood = m->things.meshes;
    struct demo_mesh *rim = demo_add_mesh(&m->things);
    demo_add(&m->things,
             mat4_mul(mat4_translate(v3(0, -0.25f, 0)), mat4_scale(v3(4.5f, 0.2f, 4.5f))),
             (struct vec4){0.31f, 0.1f, 0.9f, 0});
    struct demo_mesh *table = demo_add_mesh(&m->things);
    demo_add(&m->things, mat4_translate(v3(0, -0.42f, 0)), (struct vec4){0.09f, 0.3f, 0.42f, 0});
    return demo_make_box(demo, field) && demo_make_box(demo, rim) &&
           demo_make_lathe(demo, table, top, 2, 48);
}

static bool init(struct demo *demo) {
    struct mirror *m = demo->state;
    struct demo_mesh *mesh[KINDS + 2];
    for (int kind = 0; kind < KINDS; kind++) {
        mesh[kind] = demo_add_mesh(&m->things);
        for (const struct piece *p = pieces; p < pieces + PIECES; p++)
            if (p->kind == kind)
                demo_add(&m->things, on_square(p), side(p));
    }
    mesh[KINDS] = demo_add_mesh(&m->things);
    add_boxes(&m->things);
    mesh[KINDS + 1] = demo_add_mesh(&m->things);
    add_pearls(&m->things);
    return make_pieces(demo, mesh) && demo_make_box(demo, mesh[KINDS]) &&
           demo_make_ball(demo, mesh[KINDS + 1], 14) && add_mirror(demo) && add_board(demo) &&
           make_textures(demo) &&
           demo_load_pass(demo, &m->thing, "mirror.vp", NULL, "mirror_piece.fp") &&
           demo_load_pass(demo, &m->board, "mirror.vp", NULL, "mirror_board.fp") &&
           demo_load_pass(demo, &m->glass, "mirror.vp", NULL, "mirror_glass.fp") &&
           demo_load_pass(demo, &m->mark, "mirror.vp", NULL, "depth.fp") &&
           demo_load_cover(demo, &m->room, "sky.vp", "mirror_room.fp");
}

/* ---- State ---- */

static bool set_stencil(struct demo *demo, uint8_t value, enum tp_stencil_op pass) {
    const struct tp_stencil_face face = {.func = pass == TP_KEEP ? TP_EQUAL : TP_ALWAYS,
                                         .pass = pass,
                                         .ref = value,
                                         .read_mask = 0xff,
                                         .write_mask = 0xff};
    TRY(demo, tp_set_stencil(demo->context, &(struct tp_stencil_state){
                                                .test = true, .front = face, .back = face}));
    return true;
}

static bool set_depth(struct demo *demo, enum tp_func func, bool write) {
    TRY(demo, tp_set_depth(demo->context,
                           &(struct tp_depth_state){.test = true, .write = write, .func = func}));
    return true;
}

static bool set_blend(struct demo *demo, bool on) {
    TRY(demo, tp_set_blend(demo->context, TP_ALL_TARGETS,
                           &(struct tp_blend_target){.enable = on,
                                                     .src_rgb = on ? TP_SRC_ALPHA : 0,
                                                     .dst_rgb = on ? TP_ONE_MINUS_SRC_ALPHA : 0}));
    return true;
}

static bool use(struct demo *demo, const struct demo_pass *pass, const struct constants *c) {
    return demo_use_pass(demo, pass, c, sizeof *c);
}

/* ---- Passes ---- */

/* Draws meshes from number `mesh` on with the texels of the board or of the wood. */
static bool draw_wood(struct demo *demo, const struct constants *c, uint32_t mesh,
                      uint32_t meshes) {
    const struct mirror *m = demo->state;
    TRY(demo, tp_bind_texture(demo->context, TP_FRAGMENT, 0,
                              mesh == m->field ? m->board_texels : m->wood_texels, &demo_sharp));
    return use(demo, &m->board, c) && demo_draw_meshes(demo, &m->things, mesh, meshes);
}

static bool draw_things(struct demo *demo, const struct constants *c) {
    const struct mirror *m = demo->state;
    return use(demo, &m->thing, c) && demo_draw_meshes(demo, &m->things, 0, m->glass_mesh);
}

/* Writes a stencil value at the visible pixels of one mesh, and nothing else. */
static bool mark(struct demo *demo, const struct constants *c, uint32_t mesh, uint8_t value) {
    const struct mirror *m = demo->state;
    TRY(demo, tp_set_color_mask(demo->context, TP_ALL_TARGETS, 0));
    if (!set_stencil(demo, value, TP_REPLACE) || !set_depth(demo, TP_LESS, false) ||
        !use(demo, &m->mark, c) || !demo_draw_meshes(demo, &m->things, mesh, 1))
        return false;
    TRY(demo, tp_set_color_mask(demo->context, TP_ALL_TARGETS, 0xf));
    return true;
}

/* Draws the room, behind everything, into the pixels that pass the stencil test. */
static bool draw_room(struct demo *demo, const struct demo_camera *camera, struct mat4 flip,
                      const struct constants *c) {
    const struct vec4 none = {0, 0, 0, 0};
    const struct mirror *m = demo->state;
    struct demo_camera mirrored = *camera;
    mirrored.view = mat4_mul(camera->view, flip);
    const struct demo_rays rays = demo_rays(&mirrored, none, none, none);
    const struct room_constants r = {
        .right = rays.right, .up = rays.up, .forward = rays.forward, .lamp = c->lamp};
    TRY(demo, tp_set_raster(demo->context, &(struct tp_raster_state){0}));
    return set_depth(demo, TP_ALWAYS, true) && demo_draw_cover(demo, &m->room, &r, sizeof r);
}

/* Draws the mirrored scene where the stencil value marks the mirror. Mirrored triangles have the
 * opposite winding. */
static bool draw_mirrored(struct demo *demo, const struct demo_frame *f,
                          const struct demo_camera *camera, const struct constants *c,
                          struct vec4 plane, uint8_t value) {
    const struct mirror *m = demo->state;
    const float x = plane.x, y = plane.y, z = plane.z, w = plane.w;
    const struct mat4 flip = {{1 - 2 * x * x, -2 * x * y, -2 * x * z, 0, -2 * x * y, 1 - 2 * y * y,
                               -2 * y * z, 0, -2 * x * z, -2 * y * z, 1 - 2 * z * z, 0, -2 * x * w,
                               -2 * y * w, -2 * z * w, 1}};
    const float ahead = /* twice the eye's distance from the mirror */
        2 * (x * camera->eye.x + y * camera->eye.y + z * camera->eye.z + w);
    struct constants mirrored = *c;
    mirrored.view_projection = mat4_mul(c->view_projection, flip);
    mirrored.plane = plane;
    mirrored.eye =
        (struct vec4){c->eye.x - ahead * x, c->eye.y - ahead * y, c->eye.z - ahead * z, 1};
    const struct tp_raster_state raster = {
        .cull_back = true, .front_clockwise = true, .clip_distances = 1};
    if (!set_stencil(demo, value, TP_KEEP) || !draw_room(demo, camera, flip, c) ||
        !demo_raster(demo, f, raster) || !set_depth(demo, TP_LESS, true) ||
        !draw_things(demo, &mirrored))
        return false;
    return value == IN_BOARD ||
           (draw_wood(demo, &mirrored, m->field, 1) && draw_wood(demo, &mirrored, m->wood, 2));
}

/* Blends a mirror's own surface over its reflection, where the stencil value marks the mirror. */
static bool draw_surface(struct demo *demo, const struct demo_frame *f, uint8_t value,
                         const struct constants *c) {
    const struct mirror *m = demo->state;
    if (!demo_raster(demo, f, (struct tp_raster_state){.cull_back = true}) ||
        !set_stencil(demo, value, TP_KEEP) || !set_depth(demo, TP_LESS, true) ||
        !set_blend(demo, true))
        return false;
    const bool drawn = value == IN_BOARD ? draw_wood(demo, c, m->field, 1)
                                         : use(demo, &m->glass, c) &&
                                               demo_draw_meshes(demo, &m->things, m->glass_mesh, 1);
    return drawn && set_blend(demo, false);
}

static bool draw_passes(struct demo *demo, const struct demo_frame *f,
                        const struct demo_camera *camera, const struct constants *c,
                        struct vec4 glass) {
    const struct mirror *m = demo->state;
    const struct tp_raster_state raster = {.cull_back = true};
    const struct vec4 up = {0, 1, 0, 0};
    const bool before_glass =
        glass.x * c->eye.x + glass.y * c->eye.y + glass.z * c->eye.z + glass.w > 0;
    return draw_room(demo, camera, mat4_identity(), c) && demo_raster(demo, f, raster) &&
           set_depth(demo, TP_LESS, true) && draw_things(demo, c) &&
           draw_wood(demo, c, m->wood, 2) && mark(demo, c, m->field, IN_BOARD) &&
           mark(demo, c, m->glass_mesh, IN_GLASS) &&
           draw_mirrored(demo, f, camera, c, up, IN_BOARD) &&
           (!before_glass || draw_mirrored(demo, f, camera, c, glass, IN_GLASS)) &&
           draw_surface(demo, f, IN_BOARD, c) && draw_surface(demo, f, IN_GLASS, c);
}

static bool frame(struct demo *demo, const struct demo_frame *f) {
    struct mirror *m = demo->state;
    const struct demo_camera camera = demo_orbit_camera(
        f, v3(0, 1.7f, -1.7f), 13.4f, 0.42 * demo_sin(0.3 * f->time - 0.2), 0.27, 0.58, 0.2f, 80);
    const struct vec3 lamp = v3_normalize(v3(-0.62f, 0.85f, 0.42f));
    const struct mat4 place = mirror_place(f->time);
    const struct vec3 normal = {place.m[4], place.m[5], place.m[6]};
    const struct vec3 center = {place.m[12], place.m[13], place.m[14]};
    const struct constants c = {.view_projection = camera.view_projection,
                                .plane = {0, 0, 0, 1},
                                .eye = {camera.eye.x, camera.eye.y, camera.eye.z, 1},
                                .lamp = {lamp.x, lamp.y, lamp.z, 0},
                                .slant = {-lamp.x / lamp.y, -lamp.z / lamp.y},
                                .pieces = sizeof m->shadow,
                                .glass = {center.x, center.y, center.z, 1 / glass_radius}};
    const struct vec4 glass = {normal.x, normal.y, normal.z, -v3_dot(normal, center)};
    cast_shadows(m, &c);
    m->things.instance[m->things.mesh[m->frame].first] = demo_place(place, brass);
    m->things.instance[m->things.mesh[m->glass_mesh].first] = demo_place(place, ivory);
    TRY(demo, tp_set_constants(demo->context, TP_FRAGMENT, 1, m->shadow, sizeof m->shadow));
    TRY(demo, tp_set_stencil(demo->context, &(struct tp_stencil_state){0}));
    return demo_write_things(demo, &m->things) && demo_clear(demo, v3(0, 0, 0)) &&
           draw_passes(demo, f, &camera, &c, glass);
}

DEMO_SCENE(mirror, TP_CHIP_GT215, "chess before a mirror: stencil, clip distances");
