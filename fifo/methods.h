/* The methods of the 3D class, both generations in one table: 5097 .. 8697 (Tesla) and 9097 .. 9297
 * (Fermi).
 *
 * X(number, fermi, count, stride, fermi_stride, unit, name, handler, bulk) is a method of Tesla;
 * `fermi` is the method's number in Fermi's class if its meaning is the same there, else NONE.
 * F(fermi, count, stride, unit, name, handler, bulk) is a method of Fermi alone. An array has count
 * entries, stride bytes apart; for other methods both are 0. `unit` is the part of the state that
 * the value belongs to. `handler` is the function with the immediate effect, or KEEP.
 *
 * Code names a method by its home M_name (engine.h), one for both generations: Tesla's number, or
 * FERMI_HOME + Fermi's number. Names are as in rnndb; numbers from tesla-3d.md §4 and fermi-3d.md
 * §4.
 */
#pragma once

#include "fifo/engine.h"

#define KEEP NULL

enum { NONE = NO_METHOD, FERMI_HOME = METHOD_SPACE_TESLA };

/* Units. If a register of a unit was written, the next draw translates the whole unit
 * (state_3d_update). UNIT_NONE: no state depends on the register. */
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
    UNIT_IMAGE,
    UNITS_3D,
};

#define METHODS_3D(X, F)                                                                           \
    X(0x0100, 0x0100, 0, 0, 0, NONE, NOP, KEEP, 0)                                                 \
    X(0x0104, NONE, 0, 0, 0, NONE, NOTIFY, KEEP, 0)                                                \
    X(0x0110, 0x0110, 0, 0, 0, NONE, SERIALIZE, KEEP, 0)                                           \
    X(0x0180, NONE, 12, 4, 0, NONE, DMA, KEEP, 0)                                                  \
    X(0x01c0, NONE, 8, 4, 0, NONE, DMA_COLOR, KEEP, 0)                                             \
    /* targets */                                                                                  \
    X(0x0200, 0x0800, 8, 32, 64, TARGET, RT_ADDRESS_HIGH, KEEP, 0)                                 \
    X(0x0204, 0x0804, 8, 32, 64, TARGET, RT_ADDRESS_LOW, KEEP, 0)                                  \
    X(0x0208, 0x0810, 8, 32, 64, TARGET, RT_FORMAT, KEEP, 0)                                       \
    X(0x020c, 0x0814, 8, 32, 64, TARGET, RT_TILE_MODE, KEEP, 0)                                    \
    X(0x0210, 0x081c, 8, 32, 64, TARGET, RT_LAYER_STRIDE, KEEP, 0)                                 \
    X(0x0214, NONE, 8, 32, 0, NONE, RT_UNK14, KEEP, 0)                                             \
    X(0x0fe0, 0x0fe0, 0, 0, 0, TARGET, ZETA_ADDRESS_HIGH, KEEP, 0)                                 \
    X(0x0fe4, 0x0fe4, 0, 0, 0, TARGET, ZETA_ADDRESS_LOW, KEEP, 0)                                  \
    X(0x0fe8, 0x0fe8, 0, 0, 0, TARGET, ZETA_FORMAT, KEEP, 0)                                       \
    X(0x0fec, 0x0fec, 0, 0, 0, TARGET, ZETA_TILE_MODE, KEEP, 0)                                    \
    X(0x0ff0, 0x0ff0, 0, 0, 0, TARGET, ZETA_LAYER_STRIDE, KEEP, 0)                                 \
    X(0x121c, 0x121c, 0, 0, 0, TARGET, RT_CONTROL, KEEP, 0)                                        \
    X(0x1224, NONE, 0, 0, 0, TARGET, RT_ARRAY_MODE, rt_array_mode, 0)                              \
    X(0x1228, 0x1228, 0, 0, 0, TARGET, ZETA_HORIZ, KEEP, 0)                                        \
    X(0x122c, 0x122c, 0, 0, 0, TARGET, ZETA_VERT, KEEP, 0)                                         \
    X(0x1230, 0x1230, 0, 0, 0, TARGET, ZETA_ARRAY_MODE, KEEP, 0)                                   \
    X(0x1240, 0x0808, 8, 8, 64, TARGET, RT_HORIZ, KEEP, 0)                                         \
    X(0x1244, 0x080c, 8, 8, 64, TARGET, RT_VERT, KEEP, 0)                                          \
    X(0x1538, 0x1538, 0, 0, 0, TARGET, ZETA_ENABLE, KEEP, 0)                                       \
    X(0x15b8, NONE, 0, 0, 0, NONE, FRAMEBUFFER_SRGB, KEEP, 0)                                      \
    X(0x15d0, 0x15d0, 0, 0, 0, TARGET, MULTISAMPLE_MODE, KEEP, 0)                                  \
    X(0x19cc, 0x19cc, 0, 0, 0, NONE, ZETA_COMP_ENABLE, KEEP, 0)                                    \
    X(0x19e0, 0x19e0, 8, 4, 4, NONE, RT_COMP_ENABLE, KEEP, 0)                                      \
    /* current attribute values; attribute 0 emits a vertex */                                     \
    X(0x0300, NONE, 16, 4, 0, NONE, VTX_ATTR_1F, attribute_1f, 0)                                  \
    X(0x0380, NONE, 16, 8, 0, NONE, VTX_ATTR_2F_X, attribute_2f, 0)                                \
    X(0x0384, NONE, 16, 8, 0, NONE, VTX_ATTR_2F_Y, attribute_2f, 0)                                \
    X(0x0400, NONE, 16, 16, 0, NONE, VTX_ATTR_3F_X, attribute_3f, 0)                               \
    X(0x0404, NONE, 16, 16, 0, NONE, VTX_ATTR_3F_Y, attribute_3f, 0)                               \
    X(0x0408, NONE, 16, 16, 0, NONE, VTX_ATTR_3F_Z, attribute_3f, 0)                               \
    X(0x0500, NONE, 16, 16, 0, NONE, VTX_ATTR_4F_X, attribute_4f, 0)                               \
    X(0x0504, NONE, 16, 16, 0, NONE, VTX_ATTR_4F_Y, attribute_4f, 0)                               \
    X(0x0508, NONE, 16, 16, 0, NONE, VTX_ATTR_4F_Z, attribute_4f, 0)                               \
    X(0x050c, NONE, 16, 16, 0, NONE, VTX_ATTR_4F_W, attribute_4f, 0)                               \
    /* vertex fetch */                                                                             \
    X(0x0900, 0x1c00, 16, 16, 16, FETCH, VERTEX_ARRAY_FETCH, KEEP, 0)                              \
    X(0x0904, 0x1c04, 16, 16, 16, FETCH, VERTEX_ARRAY_START_HIGH, KEEP, 0)                         \
    X(0x0908, 0x1c08, 16, 16, 16, FETCH, VERTEX_ARRAY_START_LOW, KEEP, 0)                          \
    X(0x090c, 0x1c0c, 16, 16, 16, FETCH, VERTEX_ARRAY_DIVISOR, KEEP, 0)                            \
    X(0x0f84, 0x0f84, 0, 0, 0, NONE, VERTEX_RUNOUT_ADDRESS_HIGH, KEEP, 0)                          \
    X(0x0f88, 0x0f88, 0, 0, 0, NONE, VERTEX_RUNOUT_ADDRESS_LOW, KEEP, 0)                           \
    X(0x1000, 0x1880, 16, 4, 4, FETCH, VERTEX_ARRAY_PER_INSTANCE, KEEP, 0)                         \
    X(0x1080, 0x1f00, 16, 8, 8, FETCH, VERTEX_ARRAY_LIMIT_HIGH, KEEP, 0)                           \
    X(0x1084, 0x1f04, 16, 8, 8, FETCH, VERTEX_ARRAY_LIMIT_LOW, KEEP, 0)                            \
    X(0x1118, 0x1118, 0, 0, 0, FETCH, VERTEX_ID_BASE, vertex_id_base, 0)                           \
    X(0x142c, 0x142c, 0, 0, 0, NONE, VERTEX_ARRAY_FLUSH, KEEP, 0)                                  \
    X(0x1434, 0x1434, 0, 0, 0, FETCH, VB_ELEMENT_BASE, KEEP, 0)                                    \
    X(0x1438, 0x1438, 0, 0, 0, FETCH, VB_INSTANCE_BASE, KEEP, 0)                                   \
    X(0x1644, 0x1644, 0, 0, 0, FETCH, PRIM_RESTART_ENABLE, KEEP, 0)                                \
    X(0x1648, 0x1648, 0, 0, 0, FETCH, PRIM_RESTART_INDEX, KEEP, 0)                                 \
    X(0x0de8, 0x0de8, 0, 0, 0, FETCH, PRIM_RESTART_WITH_DRAW_ARRAYS, KEEP, 0)                      \
    X(0x1ac0, 0x1160, 16, 4, 4, FETCH, VERTEX_ARRAY_ATTRIB, KEEP, 0)                               \
    /* draws */                                                                                    \
    X(0x0d74, 0x0d74, 0, 0, 0, NONE, VERTEX_BUFFER_FIRST, KEEP, 0)                                 \
    X(0x0d78, 0x0d78, 0, 0, 0, NONE, VERTEX_BUFFER_COUNT, vertex_buffer_count, 0)                  \
    X(0x123c, 0x123c, 0, 0, 0, NONE, DRAW_TFB_BYTES, draw_tfb_bytes, 0)                            \
    X(0x1318, 0x1318, 0, 0, 0, NONE, DRAW_TFB_STRIDE, KEEP, 0)                                     \
    X(0x13a4, 0x13a4, 0, 0, 0, NONE, DRAW_TFB_BASE, KEEP, 0)                                       \
    X(0x1300, 0x1300, 0, 0, 0, NONE, VB_ELEMENT_U8_SETUP, element_u8_setup, 0)                     \
    X(0x1304, 0x1304, 0, 0, 0, NONE, VB_ELEMENT_U8, element_u8, 1)                                 \
    X(0x15dc, NONE, 0, 0, 0, NONE, VERTEX_BEGIN_GL, vertex_begin, 0)                               \
    X(0x15e0, 0x1614, 0, 0, 0, NONE, VERTEX_END_GL, vertex_end, 0)                                 \
    X(0x15e4, 0x15e4, 0, 0, 0, NONE, EDGEFLAG, edge_flag, 0)                                       \
    X(0x15e8, 0x15e8, 0, 0, 0, NONE, VB_ELEMENT_U32, element_u32, 1)                               \
    X(0x15ec, 0x15ec, 0, 0, 0, NONE, VB_ELEMENT_U16_SETUP, element_u16_setup, 0)                   \
    X(0x15f0, 0x15f0, 0, 0, 0, NONE, VB_ELEMENT_U16, element_u16, 1)                               \
    X(0x1640, NONE, 0, 0, 0, NONE, VERTEX_DATA, vertex_data, 1)                                    \
    /* clears */                                                                                   \
    X(0x0d80, 0x0d80, 4, 4, 4, NONE, CLEAR_COLOR, KEEP, 0)                                         \
    X(0x0d90, 0x0d90, 0, 0, 0, NONE, CLEAR_DEPTH, KEEP, 0)                                         \
    X(0x0da0, 0x0da0, 0, 0, 0, NONE, CLEAR_STENCIL, KEEP, 0)                                       \
    X(0x143c, NONE, 0, 0, 0, NONE, CLEAR_FLAGS, KEEP, 0)                                           \
    X(0x19d0, NONE, 0, 0, 0, NONE, CLEAR_BUFFERS, clear_buffers, 0)                                \
    /* programs */                                                                                 \
    X(0x0f70, NONE, 0, 0, 0, PROGRAM, GP_ADDRESS_HIGH, KEEP, 0)                                    \
    X(0x0f74, NONE, 0, 0, 0, PROGRAM, GP_ADDRESS_LOW, KEEP, 0)                                     \
    X(0x0f7c, NONE, 0, 0, 0, PROGRAM, VP_ADDRESS_HIGH, KEEP, 0)                                    \
    X(0x0f80, NONE, 0, 0, 0, PROGRAM, VP_ADDRESS_LOW, KEEP, 0)                                     \
    X(0x0fa4, NONE, 0, 0, 0, PROGRAM, FP_ADDRESS_HIGH, fp_address, 0)                              \
    X(0x0fa8, NONE, 0, 0, 0, PROGRAM, FP_ADDRESS_LOW, fp_address, 0)                               \
    X(0x140c, NONE, 0, 0, 0, PROGRAM, VP_START_ID, KEEP, 0)                                        \
    X(0x1410, NONE, 0, 0, 0, PROGRAM, GP_START_ID, KEEP, 0)                                        \
    X(0x1414, NONE, 0, 0, 0, PROGRAM, FP_START_ID, KEEP, 0)                                        \
    X(0x1440, NONE, 0, 0, 0, PROGRAM, CODE_CB_FLUSH, KEEP, 0)                                      \
    X(0x16b0, NONE, 0, 0, 0, PROGRAM, VP_REG_ALLOC_TEMP, KEEP, 0)                                  \
    X(0x17a0, NONE, 0, 0, 0, PROGRAM, GP_REG_ALLOC_TEMP, KEEP, 0)                                  \
    X(0x198c, NONE, 0, 0, 0, PROGRAM, FP_REG_ALLOC_TEMP, KEEP, 0)                                  \
    X(0x12d8, NONE, 0, 0, 0, NONE, LOCAL_ADDRESS_HIGH, KEEP, 0)                                    \
    X(0x12dc, NONE, 0, 0, 0, NONE, LOCAL_ADDRESS_LOW, KEEP, 0)                                     \
    X(0x12e0, NONE, 0, 0, 0, NONE, LOCAL_SIZE_LOG, KEEP, 0)                                        \
    X(0x1798, NONE, 0, 0, 0, PROGRAM, GP_ENABLE, KEEP, 0)                                          \
    X(0x1690, NONE, 0, 0, 0, PROGRAM, ISA_FLAGS, KEEP, 0)                                          \
    X(0x0d94, NONE, 0, 0, 0, NONE, STACK_ADDRESS_HIGH, KEEP, 0)                                    \
    X(0x0d98, NONE, 0, 0, 0, NONE, STACK_ADDRESS_LOW, KEEP, 0)                                     \
    X(0x0d9c, NONE, 0, 0, 0, NONE, STACK_SIZE_LOG, KEEP, 0)                                        \
    X(0x1400, NONE, 0, 0, 0, NONE, UNK1400_LANES, KEEP, 0)                                         \
    X(0x19a0, NONE, 0, 0, 0, NONE, REG_MODE, KEEP, 0)                                              \
    X(0x1290, 0x0d64, 0, 0, 0, PROGRAM, CALL_LIMIT_LOG, KEEP, 0)                                   \
    /* how stages connect */                                                                       \
    X(0x0fd4, NONE, 0, 0, 0, LINKAGE, SEMANTIC_VIEWPORT, KEEP, 0)                                  \
    X(0x1298, NONE, 0, 0, 0, LINKAGE, FP_RESULT_COUNT, KEEP, 0)                                    \
    X(0x13c0, NONE, 16, 4, 0, LINKAGE, POINT_COORD_REPLACE_MAP, KEEP, 0)                           \
    X(0x1420, NONE, 0, 0, 0, LINKAGE, GP_VERTEX_OUTPUT_COUNT, KEEP, 0)                             \
    X(0x1540, NONE, 4, 4, 0, LINKAGE, NOPERSPECTIVE_BITMAP, KEEP, 0)                               \
    X(0x15cc, 0x15cc, 0, 0, 0, LINKAGE, LAYER, KEEP, 0)                                            \
    X(0x164c, NONE, 0, 0, 0, LINKAGE, VP_GP_BUILTIN_ATTR_EN, KEEP, 0)                              \
    X(0x1650, NONE, 2, 4, 0, LINKAGE, VP_ATTR_EN, KEEP, 0)                                         \
    X(0x16ac, NONE, 0, 0, 0, LINKAGE, VP_RESULT_MAP_SIZE, KEEP, 0)                                 \
    X(0x16b8, NONE, 0, 0, 0, LINKAGE, VP_REG_ALLOC_RESULT, KEEP, 0)                                \
    X(0x16bc, NONE, 17, 4, 0, LINKAGE, VP_RESULT_MAP, KEEP, 0)                                     \
    X(0x17a8, NONE, 0, 0, 0, LINKAGE, GP_REG_ALLOC_RESULT, KEEP, 0)                                \
    X(0x17ac, NONE, 0, 0, 0, LINKAGE, GP_RESULT_MAP_SIZE, KEEP, 0)                                 \
    X(0x17b0, NONE, 0, 0, 0, LINKAGE, GP_OUTPUT_PRIMITIVE_TYPE, KEEP, 0)                           \
    X(0x17fc, NONE, 32, 4, 0, LINKAGE, GP_RESULT_MAP, KEEP, 0)                                     \
    X(0x1900, NONE, 0, 0, 0, LINKAGE, GP_VIEWPORT_ID_ENABLE, KEEP, 0)                              \
    X(0x1904, NONE, 0, 0, 0, LINKAGE, SEMANTIC_COLOR, KEEP, 0)                                     \
    X(0x1908, NONE, 0, 0, 0, LINKAGE, SEMANTIC_CLIP, KEEP, 0)                                      \
    X(0x190c, NONE, 0, 0, 0, LINKAGE, SEMANTIC_LAYER, KEEP, 0)                                     \
    X(0x1910, NONE, 0, 0, 0, LINKAGE, SEMANTIC_PTSZ, KEEP, 0)                                      \
    X(0x1914, NONE, 0, 0, 0, LINKAGE, SEMANTIC_PRIM_ID, KEEP, 0)                                   \
    X(0x196c, NONE, 0, 0, 0, LINKAGE, FP_CTRL_UNK196C, KEEP, 0)                                    \
    X(0x1988, NONE, 0, 0, 0, LINKAGE, FP_INTERPOLANT_CTRL, KEEP, 0)                                \
    X(0x19a8, NONE, 0, 0, 0, LINKAGE, FP_CONTROL, KEEP, 0)                                         \
    /* constants */                                                                                \
    X(0x0f00, NONE, 0, 0, 0, NONE, CB_ADDR, KEEP, 0)                                               \
    X(0x0f04, NONE, 16, 4, 0, NONE, CB_DATA, cb_data, 1)                                           \
    X(0x1280, NONE, 0, 0, 0, NONE, CB_DEF_ADDRESS_HIGH, KEEP, 0)                                   \
    X(0x1284, NONE, 0, 0, 0, NONE, CB_DEF_ADDRESS_LOW, KEEP, 0)                                    \
    X(0x1288, NONE, 0, 0, 0, NONE, CB_DEF_SET, cb_def_set, 0)                                      \
    X(0x1694, NONE, 0, 0, 0, NONE, SET_PROGRAM_CB, set_program_cb, 0)                              \
    /* textures */                                                                                 \
    X(0x1234, 0x1234, 0, 0, 0, TEXTURE, LINKED_TSC, KEEP, 0)                                       \
    X(0x1330, 0x1330, 0, 0, 0, NONE, TSC_FLUSH, KEEP, 0)                                           \
    X(0x1334, 0x1334, 0, 0, 0, NONE, TIC_FLUSH, KEEP, 0)                                           \
    X(0x1338, 0x1338, 0, 0, 0, NONE, TEX_CACHE_CTL, tex_cache_ctl, 0)                              \
    X(0x13b4, NONE, 3, 4, 0, NONE, TEX_LIMITS, KEEP, 0)                                            \
    X(0x1444, NONE, 3, 8, 0, NONE, BIND_TSC, bind_tsc, 0)                                          \
    X(0x1448, NONE, 3, 8, 0, NONE, BIND_TIC, bind_tic, 0)                                          \
    X(0x155c, 0x155c, 0, 0, 0, TEXTURE, TSC_ADDRESS_HIGH, KEEP, 0)                                 \
    X(0x1560, 0x1560, 0, 0, 0, TEXTURE, TSC_ADDRESS_LOW, KEEP, 0)                                  \
    X(0x1564, 0x1564, 0, 0, 0, TEXTURE, TSC_LIMIT, KEEP, 0)                                        \
    X(0x1574, 0x1574, 0, 0, 0, TEXTURE, TIC_ADDRESS_HIGH, KEEP, 0)                                 \
    X(0x1578, 0x1578, 0, 0, 0, TEXTURE, TIC_ADDRESS_LOW, KEEP, 0)                                  \
    X(0x157c, 0x157c, 0, 0, 0, TEXTURE, TIC_LIMIT, KEEP, 0)                                        \
    X(0x1664, 0x1664, 0, 0, 0, TEXTURE, TEX_MISC, KEEP, 0)                                         \
    /* viewport, scissors, clipping */                                                             \
    X(0x0a00, 0x0a00, 16, 32, 32, VIEWPORT, VIEWPORT_SCALE_X, KEEP, 0)                             \
    X(0x0a04, 0x0a04, 16, 32, 32, VIEWPORT, VIEWPORT_SCALE_Y, KEEP, 0)                             \
    X(0x0a08, 0x0a08, 16, 32, 32, VIEWPORT, VIEWPORT_SCALE_Z, KEEP, 0)                             \
    X(0x0a0c, 0x0a0c, 16, 32, 32, VIEWPORT, VIEWPORT_TRANSLATE_X, KEEP, 0)                         \
    X(0x0a10, 0x0a10, 16, 32, 32, VIEWPORT, VIEWPORT_TRANSLATE_Y, KEEP, 0)                         \
    X(0x0a14, 0x0a14, 16, 32, 32, VIEWPORT, VIEWPORT_TRANSLATE_Z, KEEP, 0)                         \
    X(0x0c00, 0x0c00, 16, 16, 16, VIEWPORT, VIEWPORT_HORIZ, KEEP, 0)                               \
    X(0x0c04, 0x0c04, 16, 16, 16, VIEWPORT, VIEWPORT_VERT, KEEP, 0)                                \
    X(0x0c08, 0x0c08, 16, 16, 16, VIEWPORT, DEPTH_RANGE_NEAR, KEEP, 0)                             \
    X(0x0c0c, 0x0c0c, 16, 16, 16, VIEWPORT, DEPTH_RANGE_FAR, KEEP, 0)                              \
    X(0x0d00, 0x0d00, 8, 8, 8, VIEWPORT, CLIP_RECT_HORIZ, KEEP, 0)                                 \
    X(0x0d04, 0x0d04, 8, 8, 8, VIEWPORT, CLIP_RECT_VERT, KEEP, 0)                                  \
    X(0x0d7c, 0x0d7c, 0, 0, 0, VIEWPORT, DEPTH_CLIP_NEGATIVE_Z, KEEP, 0)                           \
    X(0x0df8, 0x0df8, 0, 0, 0, VIEWPORT, WINDOW_OFFSET_X, KEEP, 0)                                 \
    X(0x0dfc, 0x0dfc, 0, 0, 0, VIEWPORT, WINDOW_OFFSET_Y, KEEP, 0)                                 \
    X(0x0e00, 0x0e00, 16, 16, 16, VIEWPORT, SCISSOR_ENABLE, KEEP, 0)                               \
    X(0x0e04, 0x0e04, 16, 16, 16, VIEWPORT, SCISSOR_HORIZ, KEEP, 0)                                \
    X(0x0e08, 0x0e08, 16, 16, 16, VIEWPORT, SCISSOR_VERT, KEEP, 0)                                 \
    X(0x0ff4, 0x0ff4, 0, 0, 0, VIEWPORT, SCREEN_SCISSOR_HORIZ, KEEP, 0)                            \
    X(0x0ff8, 0x0ff8, 0, 0, 0, VIEWPORT, SCREEN_SCISSOR_VERT, KEEP, 0)                             \
    X(0x13ac, 0x13ac, 0, 0, 0, VIEWPORT, SCREEN_Y_CONTROL, KEEP, 0)                                \
    X(0x1510, 0x1510, 0, 0, 0, VIEWPORT, CLIP_DISTANCE_ENABLE, KEEP, 0)                            \
    X(0x192c, 0x192c, 0, 0, 0, VIEWPORT, VIEWPORT_TRANSFORM_EN, viewport_transform_en, 0)          \
    X(0x193c, 0x193c, 0, 0, 0, VIEWPORT, VIEW_VOLUME_CLIP_CTRL, KEEP, 0)                           \
    X(0x1940, 0x1940, 0, 0, 0, VIEWPORT, CLIP_DISTANCE_MODE, KEEP, 0)                              \
    X(0x194c, 0x194c, 0, 0, 0, VIEWPORT, CLIP_RECTS_EN, KEEP, 0)                                   \
    X(0x1950, 0x1950, 0, 0, 0, VIEWPORT, CLIP_RECTS_MODE, KEEP, 0)                                 \
    X(0x197c, 0x197c, 0, 0, 0, NONE, CLIPID_ENABLE, KEEP, 0)                                       \
    /* raster */                                                                                   \
    X(0x0dac, 0x0dac, 0, 0, 0, RASTER, POLYGON_MODE_FRONT, KEEP, 0)                                \
    X(0x0db0, 0x0db0, 0, 0, 0, RASTER, POLYGON_MODE_BACK, KEEP, 0)                                 \
    X(0x0db4, 0x0db4, 0, 0, 0, RASTER, POLYGON_SMOOTH_ENABLE, KEEP, 0)                             \
    X(0x0dc0, 0x0dc0, 0, 0, 0, RASTER, POLYGON_OFFSET_POINT_ENABLE, KEEP, 0)                       \
    X(0x0dc4, 0x0dc4, 0, 0, 0, RASTER, POLYGON_OFFSET_LINE_ENABLE, KEEP, 0)                        \
    X(0x0dc8, 0x0dc8, 0, 0, 0, RASTER, POLYGON_OFFSET_FILL_ENABLE, KEEP, 0)                        \
    X(0x12d4, 0x12d4, 0, 0, 0, RASTER, SHADE_MODEL, KEEP, 0)                                       \
    X(0x13b0, NONE, 0, 0, 0, RASTER, LINE_WIDTH, KEEP, 0)                                          \
    X(0x1518, 0x1518, 0, 0, 0, RASTER, POINT_SIZE, KEEP, 0)                                        \
    X(0x1520, 0x1520, 0, 0, 0, RASTER, POINT_SPRITE_ENABLE, KEEP, 0)                               \
    X(0x156c, 0x156c, 0, 0, 0, RASTER, POLYGON_OFFSET_FACTOR, KEEP, 0)                             \
    X(0x1570, 0x1570, 0, 0, 0, RASTER, LINE_SMOOTH_ENABLE, KEEP, 0)                                \
    X(0x15bc, 0x15bc, 0, 0, 0, RASTER, POLYGON_OFFSET_UNITS, KEEP, 0)                              \
    X(0x1658, 0x1658, 0, 0, 0, RASTER, POINT_SMOOTH_ENABLE, KEEP, 0)                               \
    X(0x165c, 0x165c, 0, 0, 0, NONE, POINT_RASTER_RULES, KEEP, 0)                                  \
    X(0x1660, NONE, 0, 0, 0, RASTER, POINT_SPRITE_CTRL, KEEP, 0)                                   \
    X(0x1668, NONE, 0, 0, 0, NONE, LINE_SMOOTH_BLUR, KEEP, 0)                                      \
    X(0x166c, 0x166c, 0, 0, 0, RASTER, LINE_STIPPLE_ENABLE, KEEP, 0)                               \
    X(0x1680, 0x1680, 0, 0, 0, RASTER, LINE_STIPPLE, KEEP, 0)                                      \
    X(0x1684, 0x1684, 0, 0, 0, RASTER, PROVOKING_VERTEX_LAST, KEEP, 0)                             \
    X(0x1688, 0x1688, 0, 0, 0, RASTER, VERTEX_TWO_SIDE_ENABLE, KEEP, 0)                            \
    X(0x168c, 0x168c, 0, 0, 0, RASTER, POLYGON_STIPPLE_ENABLE, KEEP, 0)                            \
    X(0x1700, 0x1700, 32, 4, 4, RASTER, POLYGON_STIPPLE_PATTERN, KEEP, 0)                          \
    X(0x17b4, 0x037c, 0, 0, 0, RASTER, RASTERIZE_ENABLE, KEEP, 0)                                  \
    X(0x187c, 0x187c, 0, 0, 0, RASTER, POLYGON_OFFSET_CLAMP, KEEP, 0)                              \
    X(0x1918, 0x1918, 0, 0, 0, RASTER, CULL_FACE_ENABLE, KEEP, 0)                                  \
    X(0x191c, 0x191c, 0, 0, 0, RASTER, FRONT_FACE, KEEP, 0)                                        \
    X(0x1920, 0x1920, 0, 0, 0, RASTER, CULL_FACE, KEEP, 0)                                         \
    X(0x1924, 0x1924, 0, 0, 0, RASTER, PIXEL_CENTER_INTEGER, KEEP, 0)                              \
    /* zeta */                                                                                     \
    X(0x0f54, 0x0f54, 0, 0, 0, ZETA, STENCIL_BACK_FUNC_REF, KEEP, 0)                               \
    X(0x0f58, 0x0f58, 0, 0, 0, ZETA, STENCIL_BACK_MASK, KEEP, 0)                                   \
    X(0x0f5c, 0x0f5c, 0, 0, 0, ZETA, STENCIL_BACK_FUNC_MASK, KEEP, 0)                              \
    X(0x0f9c, 0x0f9c, 2, 4, 4, ZETA, DEPTH_BOUNDS, KEEP, 0)                                        \
    X(0x12cc, 0x12cc, 0, 0, 0, ZETA, DEPTH_TEST_ENABLE, KEEP, 0)                                   \
    X(0x12e8, 0x12e8, 0, 0, 0, ZETA, DEPTH_WRITE_ENABLE, KEEP, 0)                                  \
    X(0x130c, 0x130c, 0, 0, 0, ZETA, DEPTH_TEST_FUNC, KEEP, 0)                                     \
    X(0x1380, 0x1380, 0, 0, 0, ZETA, STENCIL_ENABLE, KEEP, 0)                                      \
    X(0x1384, 0x1384, 0, 0, 0, ZETA, STENCIL_FRONT_OP_FAIL, KEEP, 0)                               \
    X(0x1388, 0x1388, 0, 0, 0, ZETA, STENCIL_FRONT_OP_ZFAIL, KEEP, 0)                              \
    X(0x138c, 0x138c, 0, 0, 0, ZETA, STENCIL_FRONT_OP_ZPASS, KEEP, 0)                              \
    X(0x1390, 0x1390, 0, 0, 0, ZETA, STENCIL_FRONT_FUNC_FUNC, KEEP, 0)                             \
    X(0x1394, 0x1394, 0, 0, 0, ZETA, STENCIL_FRONT_FUNC_REF, KEEP, 0)                              \
    X(0x1398, 0x139c, 0, 0, 0, ZETA, STENCIL_FRONT_MASK, KEEP, 0)                                  \
    X(0x139c, 0x1398, 0, 0, 0, ZETA, STENCIL_FRONT_FUNC_MASK, KEEP, 0)                             \
    X(0x1594, 0x1594, 0, 0, 0, ZETA, STENCIL_TWO_SIDE_ENABLE, KEEP, 0)                             \
    X(0x1598, 0x1598, 0, 0, 0, ZETA, STENCIL_BACK_OP_FAIL, KEEP, 0)                                \
    X(0x159c, 0x159c, 0, 0, 0, ZETA, STENCIL_BACK_OP_ZFAIL, KEEP, 0)                               \
    X(0x15a0, 0x15a0, 0, 0, 0, ZETA, STENCIL_BACK_OP_ZPASS, KEEP, 0)                               \
    X(0x15a4, 0x15a4, 0, 0, 0, ZETA, STENCIL_BACK_FUNC_FUNC, KEEP, 0)                              \
    X(0x1590, 0x1590, 0, 0, 0, NONE, ZCULL_REGION, KEEP, 0)                                        \
    X(0x19bc, 0x19bc, 0, 0, 0, ZETA, DEPTH_BOUNDS_EN, KEEP, 0)                                     \
    /* colour */                                                                                   \
    X(0x0f90, 0x0f90, 0, 0, 0, BLEND, COLOR_MASK_COMMON, KEEP, 0)                                  \
    X(0x12e4, 0x12e4, 0, 0, 0, BLEND, BLEND_INDEPENDENT, KEEP, 0)                                  \
    X(0x12ec, 0x12ec, 0, 0, 0, BLEND, ALPHA_TEST_ENABLE, KEEP, 0)                                  \
    X(0x1310, 0x1310, 0, 0, 0, BLEND, ALPHA_TEST_REF, KEEP, 0)                                     \
    X(0x1314, 0x1314, 0, 0, 0, BLEND, ALPHA_TEST_FUNC, KEEP, 0)                                    \
    X(0x131c, 0x131c, 4, 4, 4, BLEND, BLEND_COLOR, KEEP, 0)                                        \
    X(0x133c, 0x133c, 0, 0, 0, BLEND, BLEND_SEPARATE_ALPHA, KEEP, 0)                               \
    X(0x1340, 0x1340, 0, 0, 0, BLEND, BLEND_EQUATION_RGB, KEEP, 0)                                 \
    X(0x1344, 0x1344, 0, 0, 0, BLEND, BLEND_FUNC_SRC_RGB, KEEP, 0)                                 \
    X(0x1348, 0x1348, 0, 0, 0, BLEND, BLEND_FUNC_DST_RGB, KEEP, 0)                                 \
    X(0x134c, 0x134c, 0, 0, 0, BLEND, BLEND_EQUATION_ALPHA, KEEP, 0)                               \
    X(0x1350, 0x1350, 0, 0, 0, BLEND, BLEND_FUNC_SRC_ALPHA, KEEP, 0)                               \
    X(0x1358, 0x1358, 0, 0, 0, BLEND, BLEND_FUNC_DST_ALPHA, KEEP, 0)                               \
    X(0x135c, 0x135c, 0, 0, 0, BLEND, BLEND_ENABLE_COMMON, KEEP, 0)                                \
    X(0x1360, 0x1360, 8, 4, 4, BLEND, BLEND_ENABLE, KEEP, 0)                                       \
    X(0x13a8, 0x13a8, 0, 0, 0, BLEND, FRAG_COLOR_CLAMP_EN, KEEP, 0)                                \
    X(0x19c4, 0x19c4, 0, 0, 0, BLEND, LOGIC_OP_ENABLE, KEEP, 0)                                    \
    X(0x19c8, 0x19c8, 0, 0, 0, BLEND, LOGIC_OP, KEEP, 0)                                           \
    X(0x1a00, 0x1a00, 8, 4, 4, BLEND, COLOR_MASK, KEEP, 0)                                         \
    X(0x1e00, 0x1e00, 8, 32, 32, BLEND, IBLEND_SEPARATE_ALPHA, KEEP, 0)                            \
    X(0x1e04, 0x1e04, 8, 32, 32, BLEND, IBLEND_EQUATION_RGB, KEEP, 0)                              \
    X(0x1e08, 0x1e08, 8, 32, 32, BLEND, IBLEND_FUNC_SRC_RGB, KEEP, 0)                              \
    X(0x1e0c, 0x1e0c, 8, 32, 32, BLEND, IBLEND_FUNC_DST_RGB, KEEP, 0)                              \
    X(0x1e10, 0x1e10, 8, 32, 32, BLEND, IBLEND_EQUATION_ALPHA, KEEP, 0)                            \
    X(0x1e14, 0x1e14, 8, 32, 32, BLEND, IBLEND_FUNC_SRC_ALPHA, KEEP, 0)                            \
    X(0x1e18, 0x1e18, 8, 32, 32, BLEND, IBLEND_FUNC_DST_ALPHA, KEEP, 0)                            \
    /* multisampling */                                                                            \
    X(0x0fbc, 0x0fbc, 4, 4, 4, SAMPLE, MSAA_MASK, KEEP, 0)                                         \
    X(0x1534, 0x1534, 0, 0, 0, SAMPLE, MULTISAMPLE_ENABLE, KEEP, 0)                                \
    X(0x153c, 0x153c, 0, 0, 0, SAMPLE, MULTISAMPLE_CTRL, KEEP, 0)                                  \
    X(0x15b4, 0x15b4, 0, 0, 0, NONE, CSAA_ENABLE, KEEP, 0)                                         \
    X(0x169c, 0x0754, 0, 0, 0, SAMPLE, SAMPLE_SHADING, KEEP, 0)                                    \
    X(0x1928, NONE, 0, 0, 0, SAMPLE, FP_MULTISAMPLE, KEEP, 0)                                      \
    /* queries and conditional rendering */                                                        \
    X(0x1514, 0x1514, 0, 0, 0, SAMPLE, SAMPLECNT_ENABLE, KEEP, 0)                                  \
    X(0x0d68, NONE, 0, 0, 0, NONE, COUNTER_ENABLE, KEEP, 0)                                        \
    X(0x1530, NONE, 0, 0, 0, NONE, COUNTER_RESET, counter_reset, 0)                                \
    X(0x1550, 0x1550, 0, 0, 0, SAMPLE, COND_ADDRESS_HIGH, KEEP, 0)                                 \
    X(0x1554, 0x1554, 0, 0, 0, SAMPLE, COND_ADDRESS_LOW, KEEP, 0)                                  \
    X(0x1558, 0x1558, 0, 0, 0, SAMPLE, COND_MODE, KEEP, 0)                                         \
    X(0x1b00, 0x1b00, 0, 0, 0, NONE, QUERY_ADDRESS_HIGH, KEEP, 0)                                  \
    X(0x1b04, 0x1b04, 0, 0, 0, NONE, QUERY_ADDRESS_LOW, KEEP, 0)                                   \
    X(0x1b08, 0x1b08, 0, 0, 0, NONE, QUERY_SEQUENCE, KEEP, 0)                                      \
    X(0x1b0c, NONE, 0, 0, 0, NONE, QUERY_GET, query_get, 0)                                        \
    /* transform feedback */                                                                       \
    X(0x0da4, NONE, 0, 0, 0, STREAM, STRMOUT_PARAMS_LATCH, KEEP, 0)                                \
    X(0x0da8, NONE, 0, 0, 0, STREAM, STRMOUT_PRIMITIVE_LIMIT, KEEP, 0)                             \
    X(0x1294, NONE, 0, 0, 0, STREAM, STRMOUT_BUFFERS_CTRL, KEEP, 0)                                \
    X(0x1480, NONE, 32, 4, 0, STREAM, STRMOUT_MAP, KEEP, 0)                                        \
    X(0x1780, NONE, 4, 4, 0, STREAM, STRMOUT_OFFSET, strmout_offset, 0)                            \
    X(0x17b8, NONE, 0, 0, 0, STREAM, STRMOUT_ENABLE, KEEP, 0)                                      \
    X(0x1a80, NONE, 4, 16, 0, STREAM, STRMOUT_ADDRESS_HIGH, KEEP, 0)                               \
    X(0x1a84, NONE, 4, 16, 0, STREAM, STRMOUT_ADDRESS_LOW, strmout_address, 0)                     \
    X(0x1a88, NONE, 4, 16, 0, STREAM, STRMOUT_NUM_ATTRIBS, KEEP, 0)                                \
    X(0x1a8c, NONE, 4, 16, 0, STREAM, STRMOUT_OFFSET_LIMIT, KEEP, 0)                               \
    /* no effect on results */                                                                     \
    X(0x0de4, 0x0de4, 0, 0, 0, NONE, WATCHDOG_TIMER, KEEP, 0)                                      \
    X(0x0fdc, 0x0fdc, 0, 0, 0, NONE, UNK0FDC, KEEP, 0)                                             \
    X(0x0f44, NONE, 0, 0, 0, NONE, LOCAL_WARPS_LOG_ALLOC, KEEP, 0)                                 \
    X(0x0f48, NONE, 0, 0, 0, NONE, LOCAL_WARPS_NO_CLAMP, KEEP, 0)                                  \
    X(0x0f4c, NONE, 0, 0, 0, NONE, STACK_WARPS_LOG_ALLOC, KEEP, 0)                                 \
    X(0x0f50, NONE, 0, 0, 0, NONE, STACK_WARPS_NO_CLAMP, KEEP, 0)                                  \
    X(0x19c0, 0x19c0, 0, 0, 0, NONE, UNK19C0, KEEP, 0)                                             \
    /* Fermi: macros */                                                                            \
    F(0x0114, 0, 0, NONE, MACRO_UPLOAD_POS, macro_upload, 0)                                       \
    F(0x0118, 0, 0, NONE, MACRO_UPLOAD_DATA, macro_upload, 0)                                      \
    F(0x011c, 0, 0, NONE, MACRO_ID, macro_upload, 0)                                               \
    F(0x0120, 0, 0, NONE, MACRO_POS, macro_upload, 0)                                              \
    F(0x3400, 64, 4, NONE, SCRATCH, KEEP, 0)                                                       \
    /* Fermi: targets */                                                                           \
    F(0x0818, 8, 64, TARGET, RT_LAYERS, KEEP, 0)                                                   \
    F(0x0820, 8, 64, TARGET, RT_BASE_LAYER, KEEP, 0)                                               \
    F(0x179c, 0, 0, TARGET, ZETA_BASE_LAYER, KEEP, 0)                                              \
    F(0x0fac, 0, 0, TARGET, RT_SEPARATE_FRAG_DATA, KEEP, 0)                                        \
    F(0x10f8, 0, 0, NONE, CLEAR_REGION, KEEP, 0)                                                   \
    F(0x19d0, 0, 0, NONE, CLEAR_TARGETS, fermi_clear, 0)                                           \
    /* Fermi: vertex fetch and draws */                                                            \
    F(0x1d00, 64, 4, NONE, UNUSED_ARRAY, KEEP, 0)                                                  \
    F(0x1f80, 32, 4, NONE, UNUSED_ARRAY_LIMIT, KEEP, 0)                                            \
    F(0x18c0, 16, 4, NONE, UNUSED_ARRAY_PER_INSTANCE, KEEP, 0)                                     \
    F(0x11a0, 16, 4, NONE, UNUSED_ATTRIB, KEEP, 0)                                                 \
    F(0x114c, 5, 4, NONE, VTX_ATTR_DEFINE, fermi_attribute, 0)                                     \
    F(0x164c, 0, 0, PROGRAM, VERTEX_ID_GEN_MODE, KEEP, 0)                                          \
    F(0x1618, 0, 0, NONE, BEGIN, fermi_begin, 0)                                                   \
    F(0x161c, 0, 0, FETCH, VERTEX_ID_REPLACE, KEEP, 0)                                             \
    F(0x17bc, 3, 4, NONE, VERTEX_QUARANTINE, KEEP, 0)                                              \
    F(0x17c8, 0, 0, NONE, INDEX_ARRAY_START_HIGH, KEEP, 0)                                         \
    F(0x17cc, 0, 0, NONE, INDEX_ARRAY_START_LOW, KEEP, 0)                                          \
    F(0x17d0, 0, 0, NONE, INDEX_ARRAY_LIMIT_HIGH, KEEP, 0)                                         \
    F(0x17d4, 0, 0, NONE, INDEX_ARRAY_LIMIT_LOW, KEEP, 0)                                          \
    F(0x17d8, 0, 0, NONE, INDEX_FORMAT, KEEP, 0)                                                   \
    F(0x17dc, 0, 0, NONE, INDEX_BATCH_FIRST, KEEP, 0)                                              \
    F(0x17e0, 0, 0, NONE, INDEX_BATCH_COUNT, fermi_index_batch, 0)                                 \
    /* Fermi: tessellation */                                                                      \
    F(0x0320, 0, 0, PROGRAM, TESS_MODE, KEEP, 0)                                                   \
    F(0x0324, 4, 4, PROGRAM, TESS_LEVEL_OUTER, KEEP, 0)                                            \
    F(0x0334, 2, 4, PROGRAM, TESS_LEVEL_INNER, KEEP, 0)                                            \
    F(0x0dcc, 0, 0, PROGRAM, PATCH_VERTICES, KEEP, 0)                                              \
    /* Fermi: programs; slots are 0 VP A, 1 VP B, 2 TCP, 3 TEP, 4 GP, 5 FP */                      \
    F(0x1608, 0, 0, PROGRAM, CODE_ADDRESS_HIGH, KEEP, 0)                                           \
    F(0x160c, 0, 0, PROGRAM, CODE_ADDRESS_LOW, KEEP, 0)                                            \
    F(0x2000, 6, 64, PROGRAM, SP_SELECT, KEEP, 0)                                                  \
    F(0x2004, 6, 64, PROGRAM, SP_START_ID, KEEP, 0)                                                \
    F(0x200c, 6, 64, PROGRAM, SP_GPR_ALLOC, KEEP, 0)                                               \
    F(0x1910, 0, 0, PROGRAM, VP_POINT_SIZE, KEEP, 0)                                               \
    F(0x2600, 0, 0, PROGRAM, VERT_COLOR_CLAMP_EN, KEEP, 0)                                         \
    F(0x021c, 0, 0, PROGRAM, MEM_BARRIER, fermi_barrier, 0)                                        \
    F(0x0210, 0, 0, PROGRAM, FORCE_EARLY_FRAGMENT_TESTS, KEEP, 0)                                  \
    F(0x1604, 0, 0, PROGRAM, POINT_COORD_REPLACE, KEEP, 0)                                         \
    /* Fermi: constants, textures, images */                                                       \
    F(0x2380, 0, 0, NONE, CB_SIZE, KEEP, 0)                                                        \
    F(0x2384, 0, 0, NONE, CB_ADDRESS_HIGH, KEEP, 0)                                                \
    F(0x2388, 0, 0, NONE, CB_ADDRESS_LOW, KEEP, 0)                                                 \
    F(0x238c, 0, 0, NONE, CB_POS, KEEP, 0)                                                         \
    F(0x2390, 16, 4, NONE, CB_DATA_FERMI, fermi_cb_data, 1)                                        \
    F(0x2410, 5, 32, NONE, CB_BIND, fermi_cb_bind, 0)                                              \
    F(0x2400, 5, 32, NONE, BIND_TSC_FERMI, fermi_bind_tsc, 0)                                      \
    F(0x2404, 5, 32, NONE, BIND_TIC_FERMI, fermi_bind_tic, 0)                                      \
    F(0x240c, 5, 32, NONE, BIND_TIC2, KEEP, 0)                                                     \
    F(0x2200, 5, 16, NONE, TEX_LIMITS_FERMI, KEEP, 0)                                              \
    F(0x2700, 8, 32, IMAGE, IMAGE_ADDRESS_HIGH, KEEP, 0)                                           \
    F(0x2704, 8, 32, IMAGE, IMAGE_ADDRESS_LOW, KEEP, 0)                                            \
    F(0x2708, 8, 32, IMAGE, IMAGE_WIDTH, KEEP, 0)                                                  \
    F(0x270c, 8, 32, IMAGE, IMAGE_HEIGHT, KEEP, 0)                                                 \
    F(0x2710, 8, 32, IMAGE, IMAGE_FORMAT, KEEP, 0)                                                 \
    F(0x2714, 8, 32, IMAGE, IMAGE_BLOCK_DIMENSIONS, KEEP, 0)                                       \
    /* Fermi: raster */                                                                            \
    F(0x020c, 0, 0, NONE, LINE_WIDTH_SEPARATE, KEEP, 0)                                            \
    F(0x13b0, 0, 0, RASTER, LINE_WIDTH_SMOOTH, KEEP, 0)                                            \
    F(0x13b4, 0, 0, RASTER, LINE_WIDTH_ALIASED, KEEP, 0)                                           \
    F(0x196c, 0, 0, NONE, ZCULL_TEST_MASK, KEEP, 0)                                                \
    F(0x151c, 0, 0, NONE, ZCULL_STATCTRS_ENABLE, KEEP, 0)                                          \
    /* Fermi: queries and transform feedback */                                                    \
    F(0x1b0c, 0, 0, NONE, QUERY_GET_FERMI, fermi_query_get, 0)                                     \
    F(0x1530, 0, 0, NONE, COUNTER_RESET_FERMI, counter_reset, 0)                                   \
    F(0x0744, 0, 0, STREAM, TFB_ENABLE, KEEP, 0)                                                   \
    F(0x0380, 4, 32, STREAM, TFB_BUFFER_ENABLE, KEEP, 0)                                           \
    F(0x0384, 4, 32, STREAM, TFB_ADDRESS_HIGH, KEEP, 0)                                            \
    F(0x0388, 4, 32, STREAM, TFB_ADDRESS_LOW, KEEP, 0)                                             \
    F(0x038c, 4, 32, STREAM, TFB_BUFFER_SIZE, KEEP, 0)                                             \
    F(0x0390, 4, 32, STREAM, TFB_BUFFER_OFFSET, fermi_tfb_offset, 0)                               \
    F(0x0700, 4, 16, STREAM, TFB_STREAM, KEEP, 0)                                                  \
    F(0x0704, 4, 16, STREAM, TFB_VARYING_COUNT, KEEP, 0)                                           \
    F(0x0708, 4, 16, STREAM, TFB_BUFFER_STRIDE, KEEP, 0)                                           \
    F(0x2800, 128, 4, STREAM, TFB_VARYING_LOCS, KEEP, 0)                                           \
    /* Fermi: no effect on results */                                                              \
    F(0x0104, 0, 0, NONE, NOTIFY_ADDRESS_HIGH, KEEP, 0)                                            \
    F(0x0108, 0, 0, NONE, NOTIFY_ADDRESS_LOW, KEEP, 0)                                             \
    F(0x0218, 0, 0, NONE, UNK0218_FERMI, KEEP, 0)                                                  \
    F(0x02d0, 0, 0, NONE, UNK02D0_FERMI, KEEP, 0)                                                  \
    F(0x02ec, 0, 0, NONE, UNK02EC_FERMI, KEEP, 0)                                                  \
    F(0x0300, 0, 0, NONE, UNK0300_FERMI, KEEP, 0)                                                  \
    F(0x030c, 0, 0, NONE, UNK030C_FERMI, KEEP, 0)                                                  \
    F(0x0360, 0, 0, NONE, UNK0360_FERMI, KEEP, 0)                                                  \
    F(0x0364, 0, 0, NONE, UNK0364_FERMI, KEEP, 0)                                                  \
    F(0x074c, 0, 0, NONE, UNK074C_FERMI, KEEP, 0)                                                  \
    F(0x075c, 0, 0, NONE, UNK075C_FERMI, KEEP, 0)                                                  \
    F(0x10cc, 0, 0, NONE, UNK10CC_FERMI, KEEP, 0)                                                  \
    F(0x10e0, 0, 0, NONE, UNK10E0_FERMI, KEEP, 0)                                                  \
    F(0x10e4, 0, 0, NONE, UNK10E4_FERMI, KEEP, 0)                                                  \
    F(0x10ec, 0, 0, NONE, UNK10EC_FERMI, KEEP, 0)                                                  \
    F(0x10f0, 0, 0, NONE, UNK10F0_FERMI, KEEP, 0)                                                  \
    F(0x10fc, 0, 0, NONE, UNK10FC_FERMI, KEEP, 0)                                                  \
    F(0x1140, 0, 0, NONE, UNK1140_FERMI, KEEP, 0)                                                  \
    F(0x1290, 0, 0, NONE, UNK1290_FERMI, KEEP, 0)                                                  \
    F(0x12ac, 0, 0, NONE, UNK12AC_FERMI, KEEP, 0)                                                  \
    F(0x1610, 0, 0, NONE, UNK1610_FERMI, KEEP, 0)                                                  \
    F(0x16a8, 0, 0, NONE, UNK16A8_FERMI, KEEP, 0)                                                  \
    F(0x1794, 0, 0, NONE, UNK1794_FERMI, KEEP, 0)                                                  \
    F(0x0308, 0, 0, NONE, CACHE_SPLIT, KEEP, 0)                                                    \
    F(0x12d8, 2, 4, NONE, UNK12D8_FERMI, KEEP, 0)                                                  \
    F(0x077c, 0, 0, NONE, LOCAL_BASE, KEEP, 0)                                                     \
    F(0x0790, 5, 4, NONE, TEMP, KEEP, 0)

enum method_3d {
#define X(number, fermi, count, stride, fermi_stride, unit, name, call, bulk) M_##name = number,
#define F(fermi, count, stride, unit, name, call, bulk) M_##name = FERMI_HOME + fermi,
    METHODS_3D(X, F)
#undef X
#undef F
};
