// Opus called from C with the settings of a call: what encoding and decoding cost at least.
#pragma once

#include <stdint.h>

#define FLOOR_FRAME 960

struct floor_codec;

/// NULL when there is no memory.
struct floor_codec *floor_open(void);
void floor_close(struct floor_codec *codec);
/// Encodes frames of 20 ms and decodes each into `heard`; returns the bytes of all packets, or -1.
long floor_run(struct floor_codec *codec, const int16_t *sound, int frames, int16_t *heard);
/// CLOCK_MONOTONIC in nanoseconds.
uint64_t floor_now(void);
