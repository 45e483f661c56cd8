/* The pictures in CACHE/frames, by frame number. */
#ifndef RENDER_PICTURE_LIST_H
#define RENDER_PICTURE_LIST_H

#include <rheo/status.h>

typedef struct picture_list {
    int *frame; /* increasing */
    int count;
} picture_list;

/* RHEO_INVALID with what to do when there is none. */
rheo_status picture_list_read(picture_list *list, const char *cache, rheo_report *report);
void picture_list_free(picture_list *list);
#endif
