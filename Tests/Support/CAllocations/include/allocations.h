/* Counts what the calling thread allocates; prefix allocations_. */
#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

#include <stdint.h>

/* The number of times that the thread asked the C library for memory since it began. */
uint64_t allocations_count(void);

#endif
