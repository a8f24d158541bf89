#pragma once

#include <stdbool.h>

/// An ALSA device without hardware that plays when it is told, and is suspended as by a machine that sleeps.
struct sleepy;

/// A new device of 48 kHz and two channels of 16 bits; NULL without memory. The close of its PCM closes the
/// device.
struct sleepy *sleepy_open(void);
/// The `snd_pcm_t` of the device.
void *sleepy_pcm(struct sleepy *device);
/// Plays so many frames.
void sleepy_play(struct sleepy *device, unsigned frames);
/// Has the machine sleep and wake; the first attempts to resume the device fail.
void sleepy_suspend(struct sleepy *device, unsigned refusals);
/// The number of attempts to resume the device.
unsigned sleepy_resumed(struct sleepy *device);
