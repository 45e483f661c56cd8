/* Three-vectors and rotations in double. */
#ifndef SOLID_VECTOR_H
#define SOLID_VECTOR_H

#include <math.h>

static inline double vec_dot(const double a[3], const double b[3]) {
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
static inline double vec_length(const double a[3]) {
    return sqrt(vec_dot(a, a));
}
static inline void vec_sub(double r[3], const double a[3], const double b[3]) {
    for (int c = 0; c < 3; ++c) r[c] = a[c] - b[c];
}
static inline void vec_cross(double r[3], const double a[3], const double b[3]) {
    r[0] = a[1] * b[2] - a[2] * b[1];
    r[1] = a[2] * b[0] - a[0] * b[2];
    r[2] = a[0] * b[1] - a[1] * b[0];
}

/* Of rows and motions of a rigid body: (velocity, spin). */
static inline double six_dot(const double a[6], const double b[6]) {
    double sum = 0;
    for (int c = 0; c < 6; ++c) sum += a[c] * b[c];
    return sum;
}

/* Row-major 3x3 times a vector. */
static inline void mat_times(double r[3], const double m[9], const double a[3]) {
    for (int c = 0; c < 3; ++c) r[c] = m[3 * c] * a[0] + m[3 * c + 1] * a[1] + m[3 * c + 2] * a[2];
}

/* By `angle` radians about an axis of any length (Rodrigues); no length or no angle: the identity. Quarter
 * turns are exact, so that boxes stay aligned with the grid. */
static inline void mat_rotation(double m[9], const double axis[3], double angle) {
    double length = vec_length(axis), n[3] = {0, 0, 1};
    if (length > 0)
        for (int c = 0; c < 3; ++c) n[c] = axis[c] / length;
    else angle = 0;
    double quarter = angle / (M_PI / 2), whole = round(quarter);
    double co = cos(angle), si = sin(angle);
    if (fabs(quarter - whole) < 1e-14 * fmax(1, fabs(quarter))) {
        static const double wave[4] = {0, 1, 0, -1};
        int turn = (int)fmod(fmod(whole, 4) + 4, 4);
        si = wave[turn];
        co = wave[(turn + 1) & 3];
    }
    double cross[9] = {0, -n[2], n[1], n[2], 0, -n[0], -n[1], n[0], 0};
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            m[3 * r + c] = (r == c ? co : 0) + (1 - co) * n[r] * n[c] + si * cross[3 * r + c];
}

/* Unit quaternions (w x y z). */
static inline void quat_times(double r[4], const double a[4], const double b[4]) {
    r[0] = a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3];
    r[1] = a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2];
    r[2] = a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1];
    r[3] = a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0];
}
static inline void quat_matrix(double m[9], const double q[4]) {
    const double w = q[0], x = q[1], y = q[2], z = q[3];
    m[0] = 1 - 2 * (y * y + z * z);
    m[1] = 2 * (x * y - w * z);
    m[2] = 2 * (x * z + w * y);
    m[3] = 2 * (x * y + w * z);
    m[4] = 1 - 2 * (x * x + z * z);
    m[5] = 2 * (y * z - w * x);
    m[6] = 2 * (x * z - w * y);
    m[7] = 2 * (y * z + w * x);
    m[8] = 1 - 2 * (x * x + y * y);
}
#endif
