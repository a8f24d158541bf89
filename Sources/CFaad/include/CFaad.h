#pragma once

#include <stddef.h>
#include <stdint.h>

/// A decoder of AAC by libfaad2, which is loaded when it is installed; nothing of it is needed to build.
struct cfaad;

/// NULL when libfaad.so.2 is not installed, lacks a function, or there is no memory.
struct cfaad *cfaad_new(void);
void cfaad_free(struct cfaad *decoder);

/// Decodes one ADTS frame to interleaved floats, at most two channels of them, which are valid until the next
/// call; NULL for a damaged frame. The first frames may bring no samples.
/// The corresponding C functions are `NeAACDecInit` and `NeAACDecDecode`.
const float *cfaad_decode(struct cfaad *decoder, const uint8_t *frame, size_t count, size_t *samples,
                          long *rate, int *channels);
