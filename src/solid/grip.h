/* What contacts keep a body from doing (body_grip): rows of motions that are not allowed. */
#ifndef SOLID_GRIP_H
#define SOLID_GRIP_H

#include "solid/body.h"

/* A further row to the body's grip; nothing where those before hold it already. */
void grip_add(const body *b, const double row[6]);
/* Takes out of the velocity what the grip does not allow. */
void grip_obey(const body *b);
#endif
