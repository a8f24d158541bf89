#if !__has_include(<speex/speex_jitter.h>)
#error "speex/speex_jitter.h is missing: apt-get install libspeexdsp-dev"
#endif
#include <speex/speex_jitter.h>
#include <speex/speex_resampler.h>
#include <speex/speex_echo.h>
#include <speex/speex_preprocess.h>
