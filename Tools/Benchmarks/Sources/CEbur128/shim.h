#if !__has_include(<ebur128.h>)
#error "ebur128.h is missing: apt-get install libebur128-dev"
#endif
#include <ebur128.h>
