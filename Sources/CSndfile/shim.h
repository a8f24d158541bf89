#if !__has_include(<sndfile.h>)
#error "sndfile.h is missing: apt-get install libsndfile1-dev"
#endif
#include <sndfile.h>
