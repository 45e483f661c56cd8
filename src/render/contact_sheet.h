/* Many small pictures on one sheet. */
#ifndef RENDER_CONTACT_SHEET_H
#define RENDER_CONTACT_SHEET_H

#include "render/png_file.h"

enum { SHEET_GAP = 6, SHEET_WIDTH = 1920 };

typedef struct sheet_layout {
    int columns, rows; /* no more than there are pictures for */
    int width, height; /* pixels of one small picture */
    int sheet[2];      /* pixels of the sheet */
} sheet_layout;

sheet_layout sheet_plan(int columns, int rows, int pictures, int picture_width, int picture_height);
/* Which of `pictures` stands at place i of `places`: evenly spread, the first and the last always there. */
int sheet_choose(int i, int places, int pictures);
/* `small` gets the mean over the area each of its pixels covers of `big`, in linear light. */
void image_shrink(image *small, const image *big);
#endif
