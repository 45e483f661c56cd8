/* Keyed numbers: means, rates of change and extremes that go with rheo_evaluate_curve(). */
#ifndef SOLID_CURVE_H
#define SOLID_CURVE_H

#include <rheo/scene.h>

/* The exact mean of the value from `from` to a later time `to`, s; the value itself where it is constant. */
void curve_mean(double *mean, const rheo_curve *curve, double from, double to);

/* d value / dt [1/s], the slope of the segment [t_i, t_i+1), zero outside the keys: its mean from `from` to a
 * later time `to`, s; the rate itself where no key lies between or `to` is not later. */
void curve_mean_rate(double *rate, const rheo_curve *curve, double from, double to);

/* The largest |d value / dt| [1/s] in any segment that `from` to `to` (s) touches. */
double curve_fastest(const rheo_curve *curve, double from, double to);

/* The largest sum of |components| from `from` to `to` (s): at its ends or on a key between them. */
double curve_largest(const rheo_curve *curve, double from, double to);
double curve_longest(const rheo_curve *curve, double from, double to); /* the same of its length */
#endif
