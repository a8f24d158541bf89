#include "floor.h"

#include <opus/opus.h>
#include <stdlib.h>
#include <time.h>

struct floor_codec {
  OpusEncoder *encoder;
  OpusDecoder *decoder;
};

struct floor_codec *floor_open(void) {
  struct floor_codec *codec = malloc(sizeof *codec);
  if (!codec) return NULL;
  codec->encoder = opus_encoder_create(48000, 1, OPUS_APPLICATION_VOIP, NULL);
  codec->decoder = opus_decoder_create(48000, 1, NULL);
  if (!codec->encoder || !codec->decoder) return NULL;
  opus_encoder_ctl(codec->encoder, OPUS_SET_BITRATE(32000));
  opus_encoder_ctl(codec->encoder, OPUS_SET_INBAND_FEC(1));
  opus_encoder_ctl(codec->encoder, OPUS_SET_PACKET_LOSS_PERC(10));
  opus_encoder_ctl(codec->encoder, OPUS_SET_DTX(0));
  opus_encoder_ctl(codec->encoder, OPUS_SET_COMPLEXITY(9));
  opus_encoder_ctl(codec->encoder, OPUS_SET_SIGNAL(OPUS_SIGNAL_VOICE));
  return codec;
}

void floor_close(struct floor_codec *codec) {
  opus_encoder_destroy(codec->encoder);
  opus_decoder_destroy(codec->decoder);
  free(codec);
}

long floor_run(struct floor_codec *codec, const int16_t *sound, int frames, int16_t *heard) {
  unsigned char packet[1275];
  long bytes = 0;
  for (int frame = 0; frame < frames; frame++) {
    int length = opus_encode(codec->encoder, sound + frame * FLOOR_FRAME, FLOOR_FRAME, packet, sizeof packet);
    if (length < 0 || opus_decode(codec->decoder, packet, length, heard, FLOOR_FRAME, 0) != FLOOR_FRAME) return -1;
    bytes += length;
  }
  return bytes;
}

uint64_t floor_now(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
