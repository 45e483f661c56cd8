/* Piecewise linear curves of time.
 *
 * value(t) = v_i + (v_i+1 - v_i) (t - t_i) / (t_i+1 - t_i) for t in [t_i, t_i+1), constant before the first
 * key and from the last one on. The rate is the exact derivative from the right, so that a step which starts
 * on a key moves with the segment it enters. Keys are found by bisection: curves recorded from motion capture
 * have thousands. */
#include "solid/curve.h"

#include <math.h>

/* The segment that holds `time`, or -1 when the value is constant there; *key is then the key to take. */
static int find_segment(int *key, const rheo_curve *c, double time) {
    int last = c->count - 1;
    *key = 0;
    if (last == 0 || !(time >= c->times[0])) return -1;
    *key = last;
    if (time >= c->times[last]) return -1;
    int low = 0, high = last; /* times[low] <= time < times[high] */
    while (high - low > 1) {
        int middle = low + (high - low) / 2;
        if (time >= c->times[middle]) low = middle;
        else high = middle;
    }
    return low;
}

void rheo_evaluate_curve(double *value, const rheo_curve *c, double time) {
    if (c->count <= 0) {
        for (int w = 0; w < c->width; ++w) value[w] = 0;
        return;
    }
    int key, i = find_segment(&key, c, time);
    if (i < 0) {
        for (int w = 0; w < c->width; ++w) value[w] = c->values[key * c->width + w];
        return;
    }
    const double *from = c->values + i * c->width, *to = from + c->width;
    double s = (time - c->times[i]) / (c->times[i + 1] - c->times[i]);
    for (int w = 0; w < c->width; ++w) value[w] = (1 - s) * from[w] + s * to[w];
}

/* A piece without keys inside is straight: its mean is the value in its middle. */
static void add_piece(double *sum, const rheo_curve *c, double from, double to) {
    double value[3];
    rheo_evaluate_curve(value, c, 0.5 * (from + to));
    for (int w = 0; w < c->width; ++w) sum[w] += (to - from) * value[w];
}

void curve_mean(double *mean, const rheo_curve *c, double from, double to) {
    rheo_evaluate_curve(mean, c, from);
    if (c->count < 2 || !(to > c->times[0]) || !(from < c->times[c->count - 1]) || !(to > from)) return;
    double sum[3] = {0, 0, 0}, at = from;
    for (int i = 0; i < c->count && c->times[i] < to; ++i) {
        if (c->times[i] <= at) continue;
        add_piece(sum, c, at, c->times[i]);
        at = c->times[i];
    }
    add_piece(sum, c, at, to);
    for (int w = 0; w < c->width; ++w) mean[w] = sum[w] / (to - from);
}

/* Of the segment that starts on key i; zero before the first key (-1) and from the last one on. */
static void segment_rate(double *rate, const rheo_curve *c, int i) {
    const int straight = i >= 0 && i + 1 < c->count;
    for (int w = 0; w < c->width; ++w)
        rate[w] = !straight ? 0
                            : (c->values[(i + 1) * c->width + w] - c->values[i * c->width + w]) /
                                  (c->times[i + 1] - c->times[i]);
}

/* The last key at or before a time, -1 before the first. */
static int last_key(const rheo_curve *c, double time) {
    int key = 0, i = c->count > 1 ? find_segment(&key, c, time) : -1;
    return i >= 0 ? i : key > 0 ? key : -1;
}

void curve_mean_rate(double *mean, const rheo_curve *c, double from, double to) {
    double sum[3] = {0, 0, 0}, at = from;
    int i = last_key(c, from);
    segment_rate(mean, c, i);
    if (c->count < 2 || i + 1 >= c->count || !(c->times[i + 1] < to)) return; /* as exact as its one slope */
    for (; i + 1 < c->count && c->times[i + 1] < to; ++i) {
        segment_rate(mean, c, i);
        for (int w = 0; w < c->width; ++w) sum[w] += (c->times[i + 1] - at) * mean[w];
        at = c->times[i + 1];
    }
    segment_rate(mean, c, i);
    for (int w = 0; w < c->width; ++w) mean[w] = (sum[w] + (to - at) * mean[w]) / (to - from);
}

double curve_fastest(const rheo_curve *c, double from, double to) {
    double most = 0;
    int key = 0, i = c->count > 1 ? find_segment(&key, c, from) : -1;
    if (i < 0) i = key; /* before the first key, or behind the last */
    for (; i + 1 < c->count && c->times[i] < to; ++i) {
        const double *at = c->values + i * c->width, step = c->times[i + 1] - c->times[i];
        double size = 0;
        for (int w = 0; w < c->width; ++w) size += (at[w + c->width] - at[w]) * (at[w + c->width] - at[w]);
        most = fmax(most, sqrt(size) / step);
    }
    return most;
}

typedef double size_of(const double *value, int width);

static double sum_of(const double *value, int width) {
    double sum = 0;
    for (int w = 0; w < width; ++w) sum += fabs(value[w]);
    return sum;
}

static double length_of(const double *value, int width) {
    double squares = 0;
    for (int w = 0; w < width; ++w) squares += value[w] * value[w];
    return sqrt(squares);
}

/* Sizes are convex between keys. */
static double most_of(const rheo_curve *c, double from, double to, size_of *size) {
    const double ends[2] = {from, to};
    double most = 0, value[3];
    for (int i = -2; i < c->count; ++i) {
        if (i >= 0 && (c->count == 1 || c->times[i] < from || c->times[i] > to)) continue;
        rheo_evaluate_curve(value, c, i < 0 ? ends[i + 2] : c->times[i]);
        most = fmax(most, size(value, c->width));
    }
    return most;
}

double curve_largest(const rheo_curve *c, double from, double to) {
    return most_of(c, from, to, sum_of);
}

double curve_longest(const rheo_curve *c, double from, double to) {
    return most_of(c, from, to, length_of);
}
