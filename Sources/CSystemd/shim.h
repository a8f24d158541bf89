#if !__has_include(<systemd/sd-bus.h>)
#error "systemd/sd-bus.h is missing: apt-get install libsystemd-dev"
#endif
#include <systemd/sd-bus.h>
