#include <CPulse.h>
#include <dlfcn.h>

_Bool cpulse_load(struct cpulse *library) {
  void *handle = dlopen("libpulse.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!handle) return 0;
#define CPULSE_LOAD(name)                                             \
  library->name = (__typeof__(&pa_##name))dlsym(handle, "pa_" #name); \
  if (!library->name) return 0;
  CPULSE_FUNCTIONS(CPULSE_LOAD)
#undef CPULSE_LOAD
  return 1;
}
