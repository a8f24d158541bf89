#if !__has_include(<opus/opus.h>)
#error "opus/opus.h is missing: apt-get install libopus-dev"
#endif
#include <opus/opus.h>
#include <opus/opus_multistream.h>

// The controls of libopus are variadic, which Swift cannot call. Each returns OPUS_OK or an error's number.

static inline int copus_set_bit_rate(OpusEncoder *encoder, opus_int32 bits_per_second) {
  return opus_encoder_ctl(encoder, OPUS_SET_BITRATE(bits_per_second));
}

static inline int copus_set_inband_fec(OpusEncoder *encoder, opus_int32 on) {
  return opus_encoder_ctl(encoder, OPUS_SET_INBAND_FEC(on));
}

static inline int copus_set_packet_loss(OpusEncoder *encoder, opus_int32 percent) {
  return opus_encoder_ctl(encoder, OPUS_SET_PACKET_LOSS_PERC(percent));
}

static inline int copus_set_dtx(OpusEncoder *encoder, opus_int32 on) {
  return opus_encoder_ctl(encoder, OPUS_SET_DTX(on));
}

static inline int copus_set_signal(OpusEncoder *encoder, opus_int32 signal) {
  return opus_encoder_ctl(encoder, OPUS_SET_SIGNAL(signal));
}

static inline int copus_set_complexity(OpusEncoder *encoder, opus_int32 complexity) {
  return opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY(complexity));
}

/// The encoder's delay in samples.
static inline int copus_get_lookahead(OpusEncoder *encoder, opus_int32 *samples) {
  return opus_encoder_ctl(encoder, OPUS_GET_LOOKAHEAD(samples));
}
