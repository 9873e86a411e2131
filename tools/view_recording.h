/* A recording in the viewer: targets, textures and programs after one of its draws, one at a
 * time. */
#pragma once

#include "tools/heat.h"
#include "tools/playback.h"

struct view_recording {
    struct playback playback;
    uint64_t draws, draw; /* number of draws; the selected draw */
    /* number of items after the selected draw; the selected item */
    unsigned items, item;
    char name[128]; /* "colour 0", "fragment $t2: 64x64 rgba8", "fragment program fp@7ffc0" */
    uint8_t *rows;  /* a picture, RGBA8 */
    uint32_t width, height;
    char *text;       /* or a program */
    bool is_target;   /* the item is colour output 0 without multisampling: `why` can be asked */
    char legend[160]; /* text of the overlay; "": none */
};

/* Returns false after a message. */
bool view_recording_open(struct view_recording *r, const struct command *command, const char *file);
/* Shows item number `item` after draw number `draw`, with an overlay. Takes the nearest draw that
 * exists, and item 0 if the draw has fewer items. Returns false after a message. */
bool view_recording_show(struct view_recording *r, uint64_t draw, unsigned item,
                         enum heat_kind heat);
void view_recording_close(struct view_recording *r);
