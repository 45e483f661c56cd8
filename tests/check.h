/* What every cmocka test file includes, in the order cmocka wants. */
#ifndef TESTS_CHECK_H
#define TESTS_CHECK_H
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <math.h>
#include <cmocka.h>

/* |a - b| <= tolerance, printing the numbers when not */
#define check_near(a, b, tolerance)                                                                          \
    do {                                                                                                     \
        double check_a = (a), check_b = (b), check_t = (tolerance);                                          \
        if (!(fabs(check_a - check_b) <= check_t))                                                           \
            fail_msg("%s = %.9g, wanted %.9g within %.3g", #a, check_a, check_b, check_t);                   \
    } while (0)
/* a <= b */
#define check_below(a, b)                                                                                    \
    do {                                                                                                     \
        double check_a = (a), check_b = (b);                                                                 \
        if (!(check_a <= check_b)) fail_msg("%s = %.9g, wanted at most %.9g", #a, check_a, check_b);         \
    } while (0)
/* The larger one, and what is not a number once one of them is none: fmax() would lose it. */
static inline double larger(double a, double b) {
    return isnan(b) || a < b ? b : a;
}
/* Likewise the smaller one. */
static inline double smaller(double a, double b) {
    return isnan(b) || b < a ? b : a;
}
#endif
