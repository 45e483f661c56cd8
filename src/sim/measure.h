/* What a simulation says of itself. */
#ifndef SIM_MEASURE_H
#define SIM_MEASURE_H

#include "sim/liquid.h"

/* Starts the statistics of a frame; counts since the start of the run are kept. */
void measure_reset(rheo_sim *s);
/* The largest |u| at one place, m/s; front.layer is free between steps. */
double measure_speed(rheo_sim *s);
/* The part of the statistics that is a free-surface liquid's. */
void measure_liquid(rheo_sim *s);
#endif
