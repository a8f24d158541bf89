#include <CFaad.h>
#include <dlfcn.h>
#include <stdlib.h>

// The beginnings of libfaad2's own structures (neaacdec.h, 2.7 and later).
struct configuration {
  unsigned char object_type;
  unsigned long rate;
  unsigned char output_format, down_matrix, old_adts, no_implicit_sbr;
};

struct frame_info {
  unsigned long consumed, samples;
  unsigned char channels, error;
  unsigned long rate;
  unsigned char rest[256];
};

enum { FLOATS = 4 };

struct cfaad {
  void *handle;
  _Bool has_begun;
  void *(*open)(void);
  struct configuration *(*configuration)(void *);
  unsigned char (*configure)(void *, struct configuration *);
  long (*init)(void *, unsigned char *, unsigned long, unsigned long *, unsigned char *);
  void *(*decode)(void *, struct frame_info *, unsigned char *, unsigned long);
  void (*close)(void *);
};

static _Bool load(struct cfaad *decoder) {
  void *library = dlopen("libfaad.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!library) return 0;
#define LOAD(field, name) \
  if (!(decoder->field = (__typeof__(decoder->field))dlsym(library, "NeAACDec" name))) return 0;
  LOAD(open, "Open")
  LOAD(configuration, "GetCurrentConfiguration")
  LOAD(configure, "SetConfiguration")
  LOAD(init, "Init")
  LOAD(decode, "Decode")
  LOAD(close, "Close")
#undef LOAD
  return 1;
}

struct cfaad *cfaad_new(void) {
  struct cfaad *decoder = calloc(1, sizeof *decoder);
  if (!decoder) return NULL;
  if (load(decoder) && (decoder->handle = decoder->open())) {
    struct configuration *configuration = decoder->configuration(decoder->handle);
    configuration->output_format = FLOATS;
    configuration->down_matrix = 1;
    if (decoder->configure(decoder->handle, configuration)) return decoder;
  }
  cfaad_free(decoder);
  return NULL;
}

void cfaad_free(struct cfaad *decoder) {
  if (decoder->handle) decoder->close(decoder->handle);
  free(decoder);
}

const float *cfaad_decode(struct cfaad *decoder, const uint8_t *frame, size_t count, size_t *samples,
                          long *rate, int *channels) {
  unsigned char *bytes = (unsigned char *)frame; // It is only read.
  if (!decoder->has_begun) {
    unsigned long announced;
    unsigned char number;
    if (decoder->init(decoder->handle, bytes, count, &announced, &number) < 0) return NULL;
    decoder->has_begun = 1;
  }
  struct frame_info info = {0};
  const float *floats = decoder->decode(decoder->handle, &info, bytes, count);
  if (info.error) return NULL;
  *samples = floats ? info.samples : 0;
  *rate = (long)info.rate;
  *channels = info.channels;
  return *samples ? floats : (const float *)(const void *)decoder;
}
