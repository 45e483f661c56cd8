/* What a simulation says of itself. */
#ifndef SIM_MEASURE_H
#define SIM_MEASURE_H

#include "sim/sim.h"

/* Starts the statistics of a frame; counts since the start of the run are kept. */
void measure_reset(rheo_sim *s);
#endif
