#if !__has_include(<FLAC/stream_decoder.h>)
#error "FLAC/stream_decoder.h is missing: apt-get install libflac-dev"
#endif
#include <FLAC/stream_decoder.h>
