#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int bench_compare(const void *left, const void *right) {
  double a = *(const double *)left, b = *(const double *)right;
  return (a > b) - (a < b);
}

double bench_quantile(const double *samples, size_t count, double quantile) {
  double sorted[BENCH_SAMPLES];
  if (count == 0 || count > BENCH_SAMPLES) bench_fail("%zu samples are too few or too many", count);
  memcpy(sorted, samples, count * sizeof *samples);
  qsort(sorted, count, sizeof *sorted, bench_compare);
  size_t rank = (size_t)ceil(quantile * (double)count);
  return sorted[rank ? rank - 1 : 0];
}

const char *bench_verdict(double figure, double target) {
  return figure <= target ? "reached" : "not reached";
}
