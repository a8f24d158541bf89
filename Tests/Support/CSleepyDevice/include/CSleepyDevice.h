#pragma once

#include <stdbool.h>

/// A device of ALSA without hardware that plays when it is told, and is suspended as by a machine that
/// sleeps.
struct sleepy;

/// Nil without memory. 48 kHz, two channels of 16 bits. Whoever closes its PCM closes it.
struct sleepy *sleepy_open(void);
/// The `snd_pcm_t` of it.
void *sleepy_pcm(struct sleepy *device);
/// So many frames are played.
void sleepy_play(struct sleepy *device, unsigned frames);
/// The machine sleeps and wakes; the device cannot be resumed the first times.
void sleepy_suspend(struct sleepy *device, unsigned refusals);
/// How often it was asked to resume.
unsigned sleepy_resumed(struct sleepy *device);
