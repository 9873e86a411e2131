/* Words that the tables of Tesla (tesla.c) and Fermi (fermi_fields.inc) share. */
#pragma once

#include "shader/isa/table.h"

/* clang-format off */

static const struct choice logic_names[] = {
    {"and", LOGIC_AND}, {"or", LOGIC_OR}, {"xor", LOGIC_XOR}, {"mov2", LOGIC_MOV2}};
static const struct choice u16_s16[] = {{"u16", TYPE_U16}, {"s16", TYPE_S16}};
static const struct choice u32_s32[] = {{"u32", TYPE_U32}, {"s32", TYPE_S32}};
static const struct choice u64_s64[] = {{"u64", TYPE_U64}, {"s64", TYPE_S64}};
static const struct choice round_names[] = {
    {"rn", ROUND_RN}, {"rm", ROUND_RM}, {"rp", ROUND_RP}, {"rz", ROUND_RZ}};
static const struct choice round_int_names[] = {
    {"rni", ROUND_RN}, {"rmi", ROUND_RM}, {"rpi", ROUND_RP}, {"rzi", ROUND_RZ}};
static const struct choice quad_op_names[] = {
    {"add", QUAD_ADD}, {"subr", QUAD_SUBR}, {"sub", QUAD_SUB}, {"mov2", QUAD_MOV2}};
static const struct choice all_live[] = {{"all", 0}, {"live", 1}};
