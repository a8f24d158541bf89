#if !__has_include(<mpg123.h>)
#error "mpg123.h is missing: apt-get install libmpg123-dev"
#endif
#include <mpg123.h>
#include <stdio.h>
