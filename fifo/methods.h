/* The 3D class' methods (5097 .. 8697): one table. X(address, count, stride, unit, name, handler,
 * bulk); count entries stride bytes apart for arrays, else 0. `unit` is the part of the state the
 * value belongs to, `handler` the function with the immediate effect, or KEEP. Names as in rnndb;
 * addresses from tesla-3d-methods.txt.
 */
#ifndef FIFO_METHODS_H
#define FIFO_METHODS_H

#include <stddef.h>

#define KEEP NULL

/* Units, in the order in which a draw reads them. */
enum unit_3d {
    UNIT_NONE,
    UNIT_FETCH,
    UNIT_PROGRAM,
    UNIT_LINKAGE,
    UNIT_TARGET,
    UNIT_VIEWPORT,
    UNIT_RASTER,
    UNIT_ZETA,
    UNIT_BLEND,
    UNIT_SAMPLE,
    UNIT_STREAM,
    UNIT_TEXTURE,
    UNITS_3D,
};

#define METHODS_3D(X)                                                                              \
    X(0x0100, 0, 0, NONE, NOP, KEEP, 0)                                                            \
    X(0x0104, 0, 0, NONE, NOTIFY, KEEP, 0)                                                         \
    X(0x0110, 0, 0, NONE, SERIALIZE, KEEP, 0)                                                      \
    X(0x0180, 12, 4, NONE, DMA, KEEP, 0)                                                           \
    X(0x01c0, 8, 4, NONE, DMA_COLOR, KEEP, 0)                                                      \
    /* targets */                                                                                  \
    X(0x0200, 8, 32, TARGET, RT_ADDRESS_HIGH, KEEP, 0)                                             \
    X(0x0204, 8, 32, TARGET, RT_ADDRESS_LOW, KEEP, 0)                                              \
    X(0x0208, 8, 32, TARGET, RT_FORMAT, KEEP, 0)                                                   \
    X(0x020c, 8, 32, TARGET, RT_TILE_MODE, KEEP, 0)                                                \
    X(0x0210, 8, 32, TARGET, RT_LAYER_STRIDE, KEEP, 0)                                             \
    X(0x0214, 8, 32, NONE, RT_UNK14, KEEP, 0)                                                      \
    X(0x0fe0, 0, 0, TARGET, ZETA_ADDRESS_HIGH, KEEP, 0)                                            \
    X(0x0fe4, 0, 0, TARGET, ZETA_ADDRESS_LOW, KEEP, 0)                                             \
    X(0x0fe8, 0, 0, TARGET, ZETA_FORMAT, KEEP, 0)                                                  \
    X(0x0fec, 0, 0, TARGET, ZETA_TILE_MODE, KEEP, 0)                                               \
    X(0x0ff0, 0, 0, TARGET, ZETA_LAYER_STRIDE, KEEP, 0)                                            \
    X(0x121c, 0, 0, TARGET, RT_CONTROL, KEEP, 0)                                                   \
    X(0x1224, 0, 0, TARGET, RT_ARRAY_MODE, rt_array_mode, 0)                                       \
    X(0x1228, 0, 0, TARGET, ZETA_HORIZ, KEEP, 0)                                                   \
    X(0x122c, 0, 0, TARGET, ZETA_VERT, KEEP, 0)                                                    \
    X(0x1230, 0, 0, TARGET, ZETA_ARRAY_MODE, KEEP, 0)                                              \
    X(0x1240, 8, 8, TARGET, RT_HORIZ, KEEP, 0)                                                     \
    X(0x1244, 8, 8, TARGET, RT_VERT, KEEP, 0)                                                      \
    X(0x1538, 0, 0, TARGET, ZETA_ENABLE, KEEP, 0)                                                  \
    X(0x15b8, 0, 0, NONE, FRAMEBUFFER_SRGB, KEEP, 0)                                               \
    X(0x15d0, 0, 0, TARGET, MULTISAMPLE_MODE, KEEP, 0)                                             \
    X(0x19cc, 0, 0, NONE, ZETA_COMP_ENABLE, KEEP, 0)                                               \
    X(0x19e0, 8, 4, NONE, RT_COMP_ENABLE, KEEP, 0)                                                 \
    /* current attribute values; attribute 0 emits a vertex */                                     \
    X(0x0300, 16, 4, NONE, VTX_ATTR_1F, attribute_1f, 0)                                           \
    X(0x0380, 16, 8, NONE, VTX_ATTR_2F_X, attribute_2f, 0)                                         \
    X(0x0384, 16, 8, NONE, VTX_ATTR_2F_Y, attribute_2f, 0)                                         \
    X(0x0400, 16, 16, NONE, VTX_ATTR_3F_X, attribute_3f, 0)                                        \
    X(0x0404, 16, 16, NONE, VTX_ATTR_3F_Y, attribute_3f, 0)                                        \
    X(0x0408, 16, 16, NONE, VTX_ATTR_3F_Z, attribute_3f, 0)                                        \
    X(0x0500, 16, 16, NONE, VTX_ATTR_4F_X, attribute_4f, 0)                                        \
    X(0x0504, 16, 16, NONE, VTX_ATTR_4F_Y, attribute_4f, 0)                                        \
    X(0x0508, 16, 16, NONE, VTX_ATTR_4F_Z, attribute_4f, 0)                                        \
    X(0x050c, 16, 16, NONE, VTX_ATTR_4F_W, attribute_4f, 0)                                        \
    /* vertex fetch */                                                                             \
    X(0x0900, 16, 16, FETCH, VERTEX_ARRAY_FETCH, KEEP, 0)                                          \
    X(0x0904, 16, 16, FETCH, VERTEX_ARRAY_START_HIGH, KEEP, 0)                                     \
    X(0x0908, 16, 16, FETCH, VERTEX_ARRAY_START_LOW, KEEP, 0)                                      \
    X(0x090c, 16, 16, FETCH, VERTEX_ARRAY_DIVISOR, KEEP, 0)                                        \
    X(0x0f84, 0, 0, NONE, VERTEX_RUNOUT_ADDRESS_HIGH, KEEP, 0)                                     \
    X(0x0f88, 0, 0, NONE, VERTEX_RUNOUT_ADDRESS_LOW, KEEP, 0)                                      \
    X(0x1000, 16, 4, FETCH, VERTEX_ARRAY_PER_INSTANCE, KEEP, 0)                                    \
    X(0x1080, 16, 8, FETCH, VERTEX_ARRAY_LIMIT_HIGH, KEEP, 0)                                      \
    X(0x1084, 16, 8, FETCH, VERTEX_ARRAY_LIMIT_LOW, KEEP, 0)                                       \
    X(0x1118, 0, 0, FETCH, VERTEX_ID_BASE, vertex_id_base, 0)                                      \
    X(0x142c, 0, 0, NONE, VERTEX_ARRAY_FLUSH, KEEP, 0)                                             \
    X(0x1434, 0, 0, FETCH, VB_ELEMENT_BASE, KEEP, 0)                                               \
    X(0x1438, 0, 0, FETCH, VB_INSTANCE_BASE, KEEP, 0)                                              \
    X(0x1644, 0, 0, FETCH, PRIM_RESTART_ENABLE, KEEP, 0)                                           \
    X(0x1648, 0, 0, FETCH, PRIM_RESTART_INDEX, KEEP, 0)                                            \
    X(0x0de8, 0, 0, FETCH, PRIM_RESTART_WITH_DRAW_ARRAYS, KEEP, 0)                                 \
    X(0x1ac0, 16, 4, FETCH, VERTEX_ARRAY_ATTRIB, KEEP, 0)                                          \
    /* draws */                                                                                    \
    X(0x0d74, 0, 0, NONE, VERTEX_BUFFER_FIRST, KEEP, 0)                                            \
    X(0x0d78, 0, 0, NONE, VERTEX_BUFFER_COUNT, vertex_buffer_count, 0)                             \
    X(0x123c, 0, 0, NONE, DRAW_TFB_BYTES, draw_tfb_bytes, 0)                                       \
    X(0x1318, 0, 0, NONE, DRAW_TFB_STRIDE, KEEP, 0)                                                \
    X(0x13a4, 0, 0, NONE, DRAW_TFB_BASE, KEEP, 0)                                                  \
    X(0x1300, 0, 0, NONE, VB_ELEMENT_U8_SETUP, element_u8_setup, 0)                                \
    X(0x1304, 0, 0, NONE, VB_ELEMENT_U8, element_u8, 1)                                            \
    X(0x15dc, 0, 0, NONE, VERTEX_BEGIN_GL, vertex_begin, 0)                                        \
    X(0x15e0, 0, 0, NONE, VERTEX_END_GL, vertex_end, 0)                                            \
    X(0x15e4, 0, 0, NONE, EDGEFLAG, edge_flag, 0)                                                  \
    X(0x15e8, 0, 0, NONE, VB_ELEMENT_U32, element_u32, 1)                                          \
    X(0x15ec, 0, 0, NONE, VB_ELEMENT_U16_SETUP, element_u16_setup, 0)                              \
    X(0x15f0, 0, 0, NONE, VB_ELEMENT_U16, element_u16, 1)                                          \
    X(0x1640, 0, 0, NONE, VERTEX_DATA, vertex_data, 1)                                             \
    /* clears */                                                                                   \
    X(0x0d80, 4, 4, NONE, CLEAR_COLOR, KEEP, 0)                                                    \
    X(0x0d90, 0, 0, NONE, CLEAR_DEPTH, KEEP, 0)                                                    \
    X(0x0da0, 0, 0, NONE, CLEAR_STENCIL, KEEP, 0)                                                  \
    X(0x143c, 0, 0, NONE, CLEAR_FLAGS, KEEP, 0)                                                    \
    X(0x19d0, 0, 0, NONE, CLEAR_BUFFERS, clear_buffers, 0)                                         \
    /* programs */                                                                                 \
    X(0x0f70, 0, 0, PROGRAM, GP_ADDRESS_HIGH, KEEP, 0)                                             \
    X(0x0f74, 0, 0, PROGRAM, GP_ADDRESS_LOW, KEEP, 0)                                              \
    X(0x0f7c, 0, 0, PROGRAM, VP_ADDRESS_HIGH, KEEP, 0)                                             \
    X(0x0f80, 0, 0, PROGRAM, VP_ADDRESS_LOW, KEEP, 0)                                              \
    X(0x0fa4, 0, 0, PROGRAM, FP_ADDRESS_HIGH, fp_address, 0)                                       \
    X(0x0fa8, 0, 0, PROGRAM, FP_ADDRESS_LOW, fp_address, 0)                                        \
    X(0x140c, 0, 0, PROGRAM, VP_START_ID, KEEP, 0)                                                 \
    X(0x1410, 0, 0, PROGRAM, GP_START_ID, KEEP, 0)                                                 \
    X(0x1414, 0, 0, PROGRAM, FP_START_ID, KEEP, 0)                                                 \
    X(0x1440, 0, 0, PROGRAM, CODE_CB_FLUSH, KEEP, 0)                                               \
    X(0x16b0, 0, 0, PROGRAM, VP_REG_ALLOC_TEMP, KEEP, 0)                                           \
    X(0x17a0, 0, 0, PROGRAM, GP_REG_ALLOC_TEMP, KEEP, 0)                                           \
    X(0x198c, 0, 0, PROGRAM, FP_REG_ALLOC_TEMP, KEEP, 0)                                           \
    X(0x12d8, 0, 0, NONE, LOCAL_ADDRESS_HIGH, KEEP, 0)                                             \
    X(0x12dc, 0, 0, NONE, LOCAL_ADDRESS_LOW, KEEP, 0)                                              \
    X(0x12e0, 0, 0, NONE, LOCAL_SIZE_LOG, KEEP, 0)                                                 \
    X(0x1798, 0, 0, PROGRAM, GP_ENABLE, KEEP, 0)                                                   \
    X(0x1690, 0, 0, PROGRAM, ISA_FLAGS, KEEP, 0)                                                   \
    X(0x0d94, 0, 0, NONE, STACK_ADDRESS_HIGH, KEEP, 0)                                             \
    X(0x0d98, 0, 0, NONE, STACK_ADDRESS_LOW, KEEP, 0)                                              \
    X(0x0d9c, 0, 0, NONE, STACK_SIZE_LOG, KEEP, 0)                                                 \
    X(0x1400, 0, 0, NONE, UNK1400_LANES, KEEP, 0)                                                  \
    X(0x19a0, 0, 0, NONE, REG_MODE, KEEP, 0)                                                       \
    X(0x1290, 0, 0, PROGRAM, CALL_LIMIT_LOG, KEEP, 0)                                              \
    /* how stages connect */                                                                       \
    X(0x0fd4, 0, 0, LINKAGE, SEMANTIC_VIEWPORT, KEEP, 0)                                           \
    X(0x1298, 0, 0, LINKAGE, FP_RESULT_COUNT, KEEP, 0)                                             \
    X(0x13c0, 16, 4, LINKAGE, POINT_COORD_REPLACE_MAP, KEEP, 0)                                    \
    X(0x1420, 0, 0, LINKAGE, GP_VERTEX_OUTPUT_COUNT, KEEP, 0)                                      \
    X(0x1540, 4, 4, LINKAGE, NOPERSPECTIVE_BITMAP, KEEP, 0)                                        \
    X(0x15cc, 0, 0, LINKAGE, LAYER, KEEP, 0)                                                       \
    X(0x164c, 0, 0, LINKAGE, VP_GP_BUILTIN_ATTR_EN, KEEP, 0)                                       \
    X(0x1650, 2, 4, LINKAGE, VP_ATTR_EN, KEEP, 0)                                                  \
    X(0x16ac, 0, 0, LINKAGE, VP_RESULT_MAP_SIZE, KEEP, 0)                                          \
    X(0x16b8, 0, 0, LINKAGE, VP_REG_ALLOC_RESULT, KEEP, 0)                                         \
    X(0x16bc, 17, 4, LINKAGE, VP_RESULT_MAP, KEEP, 0)                                              \
    X(0x17a8, 0, 0, LINKAGE, GP_REG_ALLOC_RESULT, KEEP, 0)                                         \
    X(0x17ac, 0, 0, LINKAGE, GP_RESULT_MAP_SIZE, KEEP, 0)                                          \
    X(0x17b0, 0, 0, LINKAGE, GP_OUTPUT_PRIMITIVE_TYPE, KEEP, 0)                                    \
    X(0x17fc, 32, 4, LINKAGE, GP_RESULT_MAP, KEEP, 0)                                              \
    X(0x1900, 0, 0, LINKAGE, GP_VIEWPORT_ID_ENABLE, KEEP, 0)                                       \
    X(0x1904, 0, 0, LINKAGE, SEMANTIC_COLOR, KEEP, 0)                                              \
    X(0x1908, 0, 0, LINKAGE, SEMANTIC_CLIP, KEEP, 0)                                               \
    X(0x190c, 0, 0, LINKAGE, SEMANTIC_LAYER, KEEP, 0)                                              \
    X(0x1910, 0, 0, LINKAGE, SEMANTIC_PTSZ, KEEP, 0)                                               \
    X(0x1914, 0, 0, LINKAGE, SEMANTIC_PRIM_ID, KEEP, 0)                                            \
    X(0x196c, 0, 0, LINKAGE, FP_CTRL_UNK196C, KEEP, 0)                                             \
    X(0x1988, 0, 0, LINKAGE, FP_INTERPOLANT_CTRL, KEEP, 0)                                         \
    X(0x19a8, 0, 0, LINKAGE, FP_CONTROL, KEEP, 0)                                                  \
    /* constants */                                                                                \
    X(0x0f00, 0, 0, NONE, CB_ADDR, KEEP, 0)                                                        \
    X(0x0f04, 16, 4, NONE, CB_DATA, cb_data, 1)                                                    \
    X(0x1280, 0, 0, NONE, CB_DEF_ADDRESS_HIGH, KEEP, 0)                                            \
    X(0x1284, 0, 0, NONE, CB_DEF_ADDRESS_LOW, KEEP, 0)                                             \
    X(0x1288, 0, 0, NONE, CB_DEF_SET, cb_def_set, 0)                                               \
    X(0x1694, 0, 0, NONE, SET_PROGRAM_CB, set_program_cb, 0)                                       \
    /* textures */                                                                                 \
    X(0x1234, 0, 0, TEXTURE, LINKED_TSC, KEEP, 0)                                                  \
    X(0x1330, 0, 0, NONE, TSC_FLUSH, KEEP, 0)                                                      \
    X(0x1334, 0, 0, NONE, TIC_FLUSH, KEEP, 0)                                                      \
    X(0x1338, 0, 0, NONE, TEX_CACHE_CTL, tex_cache_ctl, 0)                                         \
    X(0x13b4, 3, 4, NONE, TEX_LIMITS, KEEP, 0)                                                     \
    X(0x1444, 3, 8, NONE, BIND_TSC, bind_tsc, 0)                                                   \
    X(0x1448, 3, 8, NONE, BIND_TIC, bind_tic, 0)                                                   \
    X(0x155c, 0, 0, TEXTURE, TSC_ADDRESS_HIGH, KEEP, 0)                                            \
    X(0x1560, 0, 0, TEXTURE, TSC_ADDRESS_LOW, KEEP, 0)                                             \
    X(0x1564, 0, 0, TEXTURE, TSC_LIMIT, KEEP, 0)                                                   \
    X(0x1574, 0, 0, TEXTURE, TIC_ADDRESS_HIGH, KEEP, 0)                                            \
    X(0x1578, 0, 0, TEXTURE, TIC_ADDRESS_LOW, KEEP, 0)                                             \
    X(0x157c, 0, 0, TEXTURE, TIC_LIMIT, KEEP, 0)                                                   \
    X(0x1664, 0, 0, TEXTURE, TEX_MISC, KEEP, 0)                                                    \
    /* viewport, scissors, clipping */                                                             \
    X(0x0a00, 16, 32, VIEWPORT, VIEWPORT_SCALE_X, KEEP, 0)                                         \
    X(0x0a04, 16, 32, VIEWPORT, VIEWPORT_SCALE_Y, KEEP, 0)                                         \
    X(0x0a08, 16, 32, VIEWPORT, VIEWPORT_SCALE_Z, KEEP, 0)                                         \
    X(0x0a0c, 16, 32, VIEWPORT, VIEWPORT_TRANSLATE_X, KEEP, 0)                                     \
    X(0x0a10, 16, 32, VIEWPORT, VIEWPORT_TRANSLATE_Y, KEEP, 0)                                     \
    X(0x0a14, 16, 32, VIEWPORT, VIEWPORT_TRANSLATE_Z, KEEP, 0)                                     \
    X(0x0c00, 16, 16, VIEWPORT, VIEWPORT_HORIZ, KEEP, 0)                                           \
    X(0x0c04, 16, 16, VIEWPORT, VIEWPORT_VERT, KEEP, 0)                                            \
    X(0x0c08, 16, 16, VIEWPORT, DEPTH_RANGE_NEAR, KEEP, 0)                                         \
    X(0x0c0c, 16, 16, VIEWPORT, DEPTH_RANGE_FAR, KEEP, 0)                                          \
    X(0x0d00, 8, 8, VIEWPORT, CLIP_RECT_HORIZ, KEEP, 0)                                            \
    X(0x0d04, 8, 8, VIEWPORT, CLIP_RECT_VERT, KEEP, 0)                                             \
    X(0x0d7c, 0, 0, VIEWPORT, DEPTH_CLIP_NEGATIVE_Z, KEEP, 0)                                      \
    X(0x0df8, 0, 0, VIEWPORT, WINDOW_OFFSET_X, KEEP, 0)                                            \
    X(0x0dfc, 0, 0, VIEWPORT, WINDOW_OFFSET_Y, KEEP, 0)                                            \
    X(0x0e00, 16, 16, VIEWPORT, SCISSOR_ENABLE, KEEP, 0)                                           \
    X(0x0e04, 16, 16, VIEWPORT, SCISSOR_HORIZ, KEEP, 0)                                            \
    X(0x0e08, 16, 16, VIEWPORT, SCISSOR_VERT, KEEP, 0)                                             \
    X(0x0ff4, 0, 0, VIEWPORT, SCREEN_SCISSOR_HORIZ, KEEP, 0)                                       \
    X(0x0ff8, 0, 0, VIEWPORT, SCREEN_SCISSOR_VERT, KEEP, 0)                                        \
    X(0x13ac, 0, 0, VIEWPORT, SCREEN_Y_CONTROL, KEEP, 0)                                           \
    X(0x1510, 0, 0, VIEWPORT, CLIP_DISTANCE_ENABLE, KEEP, 0)                                       \
    X(0x192c, 0, 0, VIEWPORT, VIEWPORT_TRANSFORM_EN, KEEP, 0)                                      \
    X(0x193c, 0, 0, VIEWPORT, VIEW_VOLUME_CLIP_CTRL, KEEP, 0)                                      \
    X(0x1940, 0, 0, VIEWPORT, CLIP_DISTANCE_MODE, KEEP, 0)                                         \
    X(0x194c, 0, 0, VIEWPORT, CLIP_RECTS_EN, KEEP, 0)                                              \
    X(0x1950, 0, 0, VIEWPORT, CLIP_RECTS_MODE, KEEP, 0)                                            \
    X(0x197c, 0, 0, NONE, CLIPID_ENABLE, KEEP, 0)                                                  \
    /* raster */                                                                                   \
    X(0x0dac, 0, 0, RASTER, POLYGON_MODE_FRONT, KEEP, 0)                                           \
    X(0x0db0, 0, 0, RASTER, POLYGON_MODE_BACK, KEEP, 0)                                            \
    X(0x0db4, 0, 0, RASTER, POLYGON_SMOOTH_ENABLE, KEEP, 0)                                        \
    X(0x0dc0, 0, 0, RASTER, POLYGON_OFFSET_POINT_ENABLE, KEEP, 0)                                  \
    X(0x0dc4, 0, 0, RASTER, POLYGON_OFFSET_LINE_ENABLE, KEEP, 0)                                   \
    X(0x0dc8, 0, 0, RASTER, POLYGON_OFFSET_FILL_ENABLE, KEEP, 0)                                   \
    X(0x12d4, 0, 0, RASTER, SHADE_MODEL, KEEP, 0)                                                  \
    X(0x13b0, 0, 0, RASTER, LINE_WIDTH, KEEP, 0)                                                   \
    X(0x1518, 0, 0, RASTER, POINT_SIZE, KEEP, 0)                                                   \
    X(0x1520, 0, 0, RASTER, POINT_SPRITE_ENABLE, KEEP, 0)                                          \
    X(0x156c, 0, 0, RASTER, POLYGON_OFFSET_FACTOR, KEEP, 0)                                        \
    X(0x1570, 0, 0, RASTER, LINE_SMOOTH_ENABLE, KEEP, 0)                                           \
    X(0x15bc, 0, 0, RASTER, POLYGON_OFFSET_UNITS, KEEP, 0)                                         \
    X(0x1658, 0, 0, RASTER, POINT_SMOOTH_ENABLE, KEEP, 0)                                          \
    X(0x165c, 0, 0, NONE, POINT_RASTER_RULES, KEEP, 0)                                             \
    X(0x1660, 0, 0, RASTER, POINT_SPRITE_CTRL, KEEP, 0)                                            \
    X(0x1668, 0, 0, NONE, LINE_SMOOTH_BLUR, KEEP, 0)                                               \
    X(0x166c, 0, 0, RASTER, LINE_STIPPLE_ENABLE, KEEP, 0)                                          \
    X(0x1680, 0, 0, RASTER, LINE_STIPPLE, KEEP, 0)                                                 \
    X(0x1684, 0, 0, RASTER, PROVOKING_VERTEX_LAST, KEEP, 0)                                        \
    X(0x1688, 0, 0, RASTER, VERTEX_TWO_SIDE_ENABLE, KEEP, 0)                                       \
    X(0x168c, 0, 0, RASTER, POLYGON_STIPPLE_ENABLE, KEEP, 0)                                       \
    X(0x1700, 32, 4, RASTER, POLYGON_STIPPLE_PATTERN, KEEP, 0)                                     \
    X(0x17b4, 0, 0, RASTER, RASTERIZE_ENABLE, KEEP, 0)                                             \
    X(0x187c, 0, 0, RASTER, POLYGON_OFFSET_CLAMP, KEEP, 0)                                         \
    X(0x1918, 0, 0, RASTER, CULL_FACE_ENABLE, KEEP, 0)                                             \
    X(0x191c, 0, 0, RASTER, FRONT_FACE, KEEP, 0)                                                   \
    X(0x1920, 0, 0, RASTER, CULL_FACE, KEEP, 0)                                                    \
    X(0x1924, 0, 0, RASTER, PIXEL_CENTER_INTEGER, KEEP, 0)                                         \
    /* zeta */                                                                                     \
    X(0x0f54, 0, 0, ZETA, STENCIL_BACK_FUNC_REF, KEEP, 0)                                          \
    X(0x0f58, 0, 0, ZETA, STENCIL_BACK_MASK, KEEP, 0)                                              \
    X(0x0f5c, 0, 0, ZETA, STENCIL_BACK_FUNC_MASK, KEEP, 0)                                         \
    X(0x0f9c, 2, 4, ZETA, DEPTH_BOUNDS, KEEP, 0)                                                   \
    X(0x12cc, 0, 0, ZETA, DEPTH_TEST_ENABLE, KEEP, 0)                                              \
    X(0x12e8, 0, 0, ZETA, DEPTH_WRITE_ENABLE, KEEP, 0)                                             \
    X(0x130c, 0, 0, ZETA, DEPTH_TEST_FUNC, KEEP, 0)                                                \
    X(0x1380, 0, 0, ZETA, STENCIL_ENABLE, KEEP, 0)                                                 \
    X(0x1384, 0, 0, ZETA, STENCIL_FRONT_OP_FAIL, KEEP, 0)                                          \
    X(0x1388, 0, 0, ZETA, STENCIL_FRONT_OP_ZFAIL, KEEP, 0)                                         \
    X(0x138c, 0, 0, ZETA, STENCIL_FRONT_OP_ZPASS, KEEP, 0)                                         \
    X(0x1390, 0, 0, ZETA, STENCIL_FRONT_FUNC_FUNC, KEEP, 0)                                        \
    X(0x1394, 0, 0, ZETA, STENCIL_FRONT_FUNC_REF, KEEP, 0)                                         \
    X(0x1398, 0, 0, ZETA, STENCIL_FRONT_MASK, KEEP, 0)                                             \
    X(0x139c, 0, 0, ZETA, STENCIL_FRONT_FUNC_MASK, KEEP, 0)                                        \
    X(0x1594, 0, 0, ZETA, STENCIL_TWO_SIDE_ENABLE, KEEP, 0)                                        \
    X(0x1598, 0, 0, ZETA, STENCIL_BACK_OP_FAIL, KEEP, 0)                                           \
    X(0x159c, 0, 0, ZETA, STENCIL_BACK_OP_ZFAIL, KEEP, 0)                                          \
    X(0x15a0, 0, 0, ZETA, STENCIL_BACK_OP_ZPASS, KEEP, 0)                                          \
    X(0x15a4, 0, 0, ZETA, STENCIL_BACK_FUNC_FUNC, KEEP, 0)                                         \
    X(0x1590, 0, 0, NONE, ZCULL_REGION, KEEP, 0)                                                   \
    X(0x19bc, 0, 0, ZETA, DEPTH_BOUNDS_EN, KEEP, 0)                                                \
    /* colour */                                                                                   \
    X(0x0f90, 0, 0, BLEND, COLOR_MASK_COMMON, KEEP, 0)                                             \
    X(0x12e4, 0, 0, BLEND, BLEND_INDEPENDENT, KEEP, 0)                                             \
    X(0x12ec, 0, 0, BLEND, ALPHA_TEST_ENABLE, KEEP, 0)                                             \
    X(0x1310, 0, 0, BLEND, ALPHA_TEST_REF, KEEP, 0)                                                \
    X(0x1314, 0, 0, BLEND, ALPHA_TEST_FUNC, KEEP, 0)                                               \
    X(0x131c, 4, 4, BLEND, BLEND_COLOR, KEEP, 0)                                                   \
    X(0x133c, 0, 0, BLEND, BLEND_SEPARATE_ALPHA, KEEP, 0)                                          \
    X(0x1340, 0, 0, BLEND, BLEND_EQUATION_RGB, KEEP, 0)                                            \
    X(0x1344, 0, 0, BLEND, BLEND_FUNC_SRC_RGB, KEEP, 0)                                            \
    X(0x1348, 0, 0, BLEND, BLEND_FUNC_DST_RGB, KEEP, 0)                                            \
    X(0x134c, 0, 0, BLEND, BLEND_EQUATION_ALPHA, KEEP, 0)                                          \
    X(0x1350, 0, 0, BLEND, BLEND_FUNC_SRC_ALPHA, KEEP, 0)                                          \
    X(0x1358, 0, 0, BLEND, BLEND_FUNC_DST_ALPHA, KEEP, 0)                                          \
    X(0x135c, 0, 0, BLEND, BLEND_ENABLE_COMMON, KEEP, 0)                                           \
    X(0x1360, 8, 4, BLEND, BLEND_ENABLE, KEEP, 0)                                                  \
    X(0x13a8, 0, 0, BLEND, FRAG_COLOR_CLAMP_EN, KEEP, 0)                                           \
    X(0x19c4, 0, 0, BLEND, LOGIC_OP_ENABLE, KEEP, 0)                                               \
    X(0x19c8, 0, 0, BLEND, LOGIC_OP, KEEP, 0)                                                      \
    X(0x1a00, 8, 4, BLEND, COLOR_MASK, KEEP, 0)                                                    \
    X(0x1e00, 8, 32, BLEND, IBLEND_SEPARATE_ALPHA, KEEP, 0)                                        \
    X(0x1e04, 8, 32, BLEND, IBLEND_EQUATION_RGB, KEEP, 0)                                          \
    X(0x1e08, 8, 32, BLEND, IBLEND_FUNC_SRC_RGB, KEEP, 0)                                          \
    X(0x1e0c, 8, 32, BLEND, IBLEND_FUNC_DST_RGB, KEEP, 0)                                          \
    X(0x1e10, 8, 32, BLEND, IBLEND_EQUATION_ALPHA, KEEP, 0)                                        \
    X(0x1e14, 8, 32, BLEND, IBLEND_FUNC_SRC_ALPHA, KEEP, 0)                                        \
    X(0x1e18, 8, 32, BLEND, IBLEND_FUNC_DST_ALPHA, KEEP, 0)                                        \
    /* multisampling */                                                                            \
    X(0x0fbc, 4, 4, SAMPLE, MSAA_MASK, KEEP, 0)                                                    \
    X(0x1534, 0, 0, SAMPLE, MULTISAMPLE_ENABLE, KEEP, 0)                                           \
    X(0x153c, 0, 0, SAMPLE, MULTISAMPLE_CTRL, KEEP, 0)                                             \
    X(0x15b4, 0, 0, NONE, CSAA_ENABLE, KEEP, 0)                                                    \
    X(0x169c, 0, 0, SAMPLE, SAMPLE_SHADING, KEEP, 0)                                               \
    X(0x1928, 0, 0, SAMPLE, FP_MULTISAMPLE, KEEP, 0)                                               \
    /* queries and conditional rendering */                                                        \
    X(0x1514, 0, 0, SAMPLE, SAMPLECNT_ENABLE, KEEP, 0)                                             \
    X(0x0d68, 0, 0, NONE, COUNTER_ENABLE, KEEP, 0)                                                 \
    X(0x1530, 0, 0, NONE, COUNTER_RESET, counter_reset, 0)                                         \
    X(0x1550, 0, 0, SAMPLE, COND_ADDRESS_HIGH, KEEP, 0)                                            \
    X(0x1554, 0, 0, SAMPLE, COND_ADDRESS_LOW, KEEP, 0)                                             \
    X(0x1558, 0, 0, SAMPLE, COND_MODE, KEEP, 0)                                                    \
    X(0x1b00, 0, 0, NONE, QUERY_ADDRESS_HIGH, KEEP, 0)                                             \
    X(0x1b04, 0, 0, NONE, QUERY_ADDRESS_LOW, KEEP, 0)                                              \
    X(0x1b08, 0, 0, NONE, QUERY_SEQUENCE, KEEP, 0)                                                 \
    X(0x1b0c, 0, 0, NONE, QUERY_GET, query_get, 0)                                                 \
    /* transform feedback */                                                                       \
    X(0x0da4, 0, 0, STREAM, STRMOUT_PARAMS_LATCH, KEEP, 0)                                         \
    X(0x0da8, 0, 0, STREAM, STRMOUT_PRIMITIVE_LIMIT, KEEP, 0)                                      \
    X(0x1294, 0, 0, STREAM, STRMOUT_BUFFERS_CTRL, KEEP, 0)                                         \
    X(0x1480, 32, 4, STREAM, STRMOUT_MAP, KEEP, 0)                                                 \
    X(0x1780, 4, 4, STREAM, STRMOUT_OFFSET, strmout_offset, 0)                                     \
    X(0x17b8, 0, 0, STREAM, STRMOUT_ENABLE, KEEP, 0)                                               \
    X(0x1a80, 4, 16, STREAM, STRMOUT_ADDRESS_HIGH, KEEP, 0)                                        \
    X(0x1a84, 4, 16, STREAM, STRMOUT_ADDRESS_LOW, strmout_address, 0)                              \
    X(0x1a88, 4, 16, STREAM, STRMOUT_NUM_ATTRIBS, KEEP, 0)                                         \
    X(0x1a8c, 4, 16, STREAM, STRMOUT_OFFSET_LIMIT, KEEP, 0)                                        \
    /* no effect on results */                                                                     \
    X(0x0de4, 0, 0, NONE, WATCHDOG_TIMER, KEEP, 0)                                                 \
    X(0x0fdc, 0, 0, NONE, UNK0FDC, KEEP, 0)                                                        \
    X(0x0f44, 0, 0, NONE, LOCAL_WARPS_LOG_ALLOC, KEEP, 0)                                          \
    X(0x0f48, 0, 0, NONE, LOCAL_WARPS_NO_CLAMP, KEEP, 0)                                           \
    X(0x0f4c, 0, 0, NONE, STACK_WARPS_LOG_ALLOC, KEEP, 0)                                          \
    X(0x0f50, 0, 0, NONE, STACK_WARPS_NO_CLAMP, KEEP, 0)                                           \
    X(0x19c0, 0, 0, NONE, UNK19C0, KEEP, 0)

enum method_3d {
#define X(address, count, stride, unit, name, call, bulk) M_##name = address,
    METHODS_3D(X)
#undef X
};

#endif
