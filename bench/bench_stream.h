/* Memory bandwidth, the yardstick of every other figure. */
#ifndef BENCH_STREAM_H
#define BENCH_STREAM_H

#include "rows.h"

double stream_triad(int threads);      /* bytes/s; 0 without memory */
rheo_status stream_measure(rows *out); /* fills out->triad and out->threads once */
#endif
