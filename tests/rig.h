/* The dry world of bench/rig.h for tests: what cannot be made fails the test. */
#ifndef TESTS_RIG_H
#define TESTS_RIG_H

#include "../bench/rig.h"

static inline void rig_make(rig *r) {
    rheo_report report = {0};
    if (rig_begin(r, &report)) fail_msg("%s", report.message);
}
#endif
