#if !__has_include(<vorbis/codec.h>)
#error "vorbis/codec.h is missing: apt-get install libvorbis-dev"
#endif
#include <ogg/ogg.h>
#include <vorbis/codec.h>
