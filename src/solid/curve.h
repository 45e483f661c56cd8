/* Keyed numbers: the rate of change that goes with rheo_evaluate_curve(). */
#ifndef SOLID_CURVE_H
#define SOLID_CURVE_H

#include <rheo/scene.h>

/* d value / dt [1/s]: the slope of the segment [t_i, t_i+1) that holds `time`; zero outside the keys. */
void curve_rate(double *rate, const rheo_curve *curve, double time);
#endif
