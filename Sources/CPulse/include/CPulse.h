#pragma once

#if !__has_include(<pulse/stream.h>)
#error "pulse/stream.h is missing: apt-get install libpulse-dev"
#endif
#include <pulse/context.h>
#include <pulse/error.h>
#include <pulse/introspect.h>
#include <pulse/mainloop.h>
#include <pulse/operation.h>
#include <pulse/proplist.h>
#include <pulse/sample.h>
#include <pulse/stream.h>
#include <pulse/volume.h>

/// The functions of libpulse that Lull uses, without their `pa_`.
#define CPULSE_FUNCTIONS(F)               \
  F(mainloop_new)                         \
  F(mainloop_free)                        \
  F(mainloop_get_api)                     \
  F(mainloop_prepare)                     \
  F(mainloop_poll)                        \
  F(mainloop_dispatch)                    \
  F(context_new)                          \
  F(context_connect)                      \
  F(context_disconnect)                   \
  F(context_get_state)                    \
  F(context_errno)                        \
  F(context_unref)                        \
  F(context_get_server_info)              \
  F(context_get_sink_info_list)           \
  F(context_get_source_info_list)         \
  F(context_get_client_info_list)         \
  F(context_get_sink_input_info_list)     \
  F(context_get_source_output_info_list)  \
  F(stream_new)                           \
  F(stream_connect_playback)              \
  F(stream_connect_record)                \
  F(stream_disconnect)                    \
  F(stream_unref)                         \
  F(stream_get_state)                     \
  F(stream_get_buffer_attr)               \
  F(stream_get_timing_info)               \
  F(stream_get_underflow_index)           \
  F(stream_update_timing_info)            \
  F(stream_set_monitor_stream)            \
  F(stream_proplist_update)               \
  F(stream_write)                         \
  F(stream_peek)                          \
  F(stream_drop)                          \
  F(stream_cork)                          \
  F(stream_flush)                         \
  F(operation_get_state)                  \
  F(operation_cancel)                     \
  F(operation_unref)                      \
  F(proplist_new)                         \
  F(proplist_free)                        \
  F(proplist_gets)                        \
  F(proplist_sets)                        \
  F(cvolume_max)                          \
  F(sw_volume_to_linear)                  \
  F(strerror)

/// The loaded library: the field `x` is the function `pa_x`.
struct cpulse {
#define CPULSE_FIELD(name) __typeof__(&pa_##name) name;
  CPULSE_FUNCTIONS(CPULSE_FIELD)
#undef CPULSE_FIELD
};

/// Loads libpulse.so.0, which stays loaded. False when the library is not installed or lacks a function.
_Bool cpulse_load(struct cpulse *library);

enum cpulse_kind {
  CPULSE_SERVER,
  CPULSE_SINKS,
  CPULSE_SOURCES,
  CPULSE_CLIENTS,
  CPULSE_INPUTS,  // streams that play
  CPULSE_OUTPUTS, // streams that record
};

/// A part of a server: the server itself, a sink, a source, a client, or a stream of a client.
struct cpulse_entry {
  uint32_t index;
  /// Of a stream: its client, and its sink or source.
  uint32_t client, device;
  /// Of a client: its process by its own word; 0 when it does not tell.
  int32_t pid;
  /// Of a stream that plays, as a factor.
  double volume;
  _Bool is_muted, is_corked;
  /// Of a source: it records a sink.
  _Bool is_monitor;
  /// Of a sink: it stands still.
  _Bool is_suspended;
  /// The name, and words for people; of the server the names of its default sink and source.
  char *name, *text;
  /// Of a sink: the source that records it.
  char *monitor;
};

/// A question to a server, and its answer so far.
struct cpulse_list {
  struct cpulse library;
  _Bool is_done, has_failed;
  size_t count;
  struct cpulse_entry *entries;
  pa_operation *operation;
};

/// Asks a server for all of a kind; the answer comes with the turns of the loop. NULL: it cannot be asked.
struct cpulse_list *cpulse_list_new(
    const struct cpulse *library, pa_context *context, enum cpulse_kind kind);
void cpulse_list_free(struct cpulse_list *list);

/// Gives a stream the name of the program for which it runs.
void cpulse_name(const struct cpulse *library, pa_stream *stream, const char *name);
