#include <CSleepyDevice.h>

#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <stdlib.h>

struct sleepy {
  snd_pcm_ioplug_t plug;
  snd_pcm_uframes_t place;
  unsigned refusals;
  unsigned resumed;
};

static int sleepy_nothing(snd_pcm_ioplug_t *plug) {
  (void)plug;
  return 0;
}

static int sleepy_prepare(snd_pcm_ioplug_t *plug) {
  ((struct sleepy *)plug->private_data)->place = 0;
  return 0;
}

static int sleepy_resume(snd_pcm_ioplug_t *plug) {
  struct sleepy *device = plug->private_data;
  device->resumed++;
  if (!device->refusals) return 0;
  device->refusals--;
  return -EAGAIN;
}

static snd_pcm_sframes_t sleepy_pointer(snd_pcm_ioplug_t *plug) {
  return (snd_pcm_sframes_t)(((struct sleepy *)plug->private_data)->place % plug->buffer_size);
}

static snd_pcm_sframes_t sleepy_transfer(snd_pcm_ioplug_t *plug, const snd_pcm_channel_area_t *areas,
                                         snd_pcm_uframes_t offset, snd_pcm_uframes_t size) {
  (void)plug, (void)areas, (void)offset;
  return (snd_pcm_sframes_t)size;
}

static int sleepy_close(snd_pcm_ioplug_t *plug) {
  free(plug->private_data);
  return 0;
}

static const snd_pcm_ioplug_callback_t sleepy_callbacks = {
    .start = sleepy_nothing,
    .stop = sleepy_nothing,
    .pointer = sleepy_pointer,
    .transfer = sleepy_transfer,
    .prepare = sleepy_prepare,
    .resume = sleepy_resume,
    .close = sleepy_close,
};

static int sleepy_constrain(snd_pcm_ioplug_t *plug) {
  const unsigned access = SND_PCM_ACCESS_RW_INTERLEAVED, format = SND_PCM_FORMAT_S16_LE;
  int result = snd_pcm_ioplug_set_param_list(plug, SND_PCM_IOPLUG_HW_ACCESS, 1, &access);
  if (result >= 0) result = snd_pcm_ioplug_set_param_list(plug, SND_PCM_IOPLUG_HW_FORMAT, 1, &format);
  if (result >= 0) result = snd_pcm_ioplug_set_param_minmax(plug, SND_PCM_IOPLUG_HW_CHANNELS, 2, 2);
  if (result >= 0) result = snd_pcm_ioplug_set_param_minmax(plug, SND_PCM_IOPLUG_HW_RATE, 48000, 48000);
  return result;
}

struct sleepy *sleepy_open(void) {
  struct sleepy *device = calloc(1, sizeof *device);
  if (!device) return NULL;
  device->plug.version = SND_PCM_IOPLUG_VERSION;
  device->plug.name = "sleepy";
  device->plug.callback = &sleepy_callbacks;
  device->plug.private_data = device;
  device->plug.poll_fd = -1;
  if (snd_pcm_ioplug_create(&device->plug, "sleepy", SND_PCM_STREAM_PLAYBACK, SND_PCM_NONBLOCK) < 0) {
    free(device);
    return NULL;
  }
  if (sleepy_constrain(&device->plug) >= 0) return device;
  snd_pcm_close(device->plug.pcm);
  return NULL;
}

void *sleepy_pcm(struct sleepy *device) { return device->plug.pcm; }

void sleepy_play(struct sleepy *device, unsigned frames) { device->place += frames; }

void sleepy_suspend(struct sleepy *device, unsigned refusals) {
  device->refusals = refusals;
  snd_pcm_ioplug_set_state(&device->plug, SND_PCM_STATE_SUSPENDED);
}

unsigned sleepy_resumed(struct sleepy *device) { return device->resumed; }
