/* Settling a fill before time begins. */
#ifndef SIM_SETTLE_H
#define SIM_SETTLE_H

#include "sim/liquid.h"

/* Moves the particles of a fresh fill by fractions of a cell, so that liquid at rest is at rest. */
rheo_status settle_fill(rheo_sim *s, rheo_report *report);
#endif
