#if !__has_include(<FLAC/stream_decoder.h>)
#error "FLAC/stream_decoder.h is missing: apt-get install libflac-dev"
#endif
#include <FLAC/stream_decoder.h>
#include <stdio.h>
#include <unistd.h>

/// Decodes a file from its descriptor, which the decoder closes.
static inline FLAC__StreamDecoderInitStatus cflac_init_descriptor(
    FLAC__StreamDecoder *decoder, int descriptor, FLAC__StreamDecoderWriteCallback write,
    FLAC__StreamDecoderErrorCallback error, void *owner) {
  FILE *file = fdopen(descriptor, "r");
  if (!file) {
    close(descriptor);
    return FLAC__STREAM_DECODER_INIT_STATUS_ERROR_OPENING_FILE;
  }
  FLAC__StreamDecoderInitStatus status =
      FLAC__stream_decoder_init_FILE(decoder, file, write, NULL, error, owner);
  if (status != FLAC__STREAM_DECODER_INIT_STATUS_OK) fclose(file);
  return status;
}
