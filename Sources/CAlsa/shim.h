#if !__has_include(<alsa/asoundlib.h>)
#error "alsa/asoundlib.h is missing: apt-get install libasound2-dev"
#endif
#include <alsa/asoundlib.h>

static inline void calsa_ignore(const char *file, int line, const char *function, int code,
                                const char *format, ...) {
  (void)file;
  (void)line;
  (void)function;
  (void)code;
  (void)format;
}

/// Keeps the library from writing its errors to standard error; every call returns its error anyway.
static inline int calsa_silence(void) { return snd_lib_error_set_handler(calsa_ignore); }
