#pragma once

#if !__has_include(<pulse/stream.h>)
#error "pulse/stream.h is missing: apt-get install libpulse-dev"
#endif
#include <pulse/context.h>
#include <pulse/error.h>
#include <pulse/mainloop.h>
#include <pulse/operation.h>
#include <pulse/sample.h>
#include <pulse/stream.h>

/// The functions of libpulse that Lull uses, without their `pa_`.
#define CPULSE_FUNCTIONS(F)     \
  F(mainloop_new)               \
  F(mainloop_free)              \
  F(mainloop_get_api)           \
  F(mainloop_prepare)           \
  F(mainloop_poll)              \
  F(mainloop_dispatch)          \
  F(context_new)                \
  F(context_connect)            \
  F(context_disconnect)         \
  F(context_get_state)          \
  F(context_errno)              \
  F(context_unref)              \
  F(stream_new)                 \
  F(stream_connect_playback)    \
  F(stream_connect_record)      \
  F(stream_disconnect)          \
  F(stream_unref)               \
  F(stream_get_state)           \
  F(stream_get_buffer_attr)     \
  F(stream_get_timing_info)     \
  F(stream_get_underflow_index) \
  F(stream_update_timing_info)  \
  F(stream_write)               \
  F(stream_peek)                \
  F(stream_drop)                \
  F(stream_cork)                \
  F(stream_flush)               \
  F(operation_get_state)        \
  F(operation_cancel)           \
  F(operation_unref)            \
  F(strerror)

/// The loaded library: the field `x` is the function `pa_x`.
struct cpulse {
#define CPULSE_FIELD(name) __typeof__(&pa_##name) name;
  CPULSE_FUNCTIONS(CPULSE_FIELD)
#undef CPULSE_FIELD
};

/// Loads libpulse.so.0, which stays loaded. False when the library is not installed or lacks a function.
/// The corresponding C functions are `dlopen` and `dlsym`.
_Bool cpulse_load(struct cpulse *library);
