#include <CPulse.h>
#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

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

static char *copy(const char *text) { return text ? strdup(text) : NULL; }

/// Ends the list at the end of its answers, or makes room for one more entry; NULL when none is to be filled.
static struct cpulse_entry *next(struct cpulse_list *list, const void *info, int end) {
  if (end || !info) {
    list->is_done = 1;
    if (end < 0) list->has_failed = 1;
    return NULL;
  }
  struct cpulse_entry *entries = realloc(list->entries, (list->count + 1) * sizeof *entries);
  if (!entries) {
    list->has_failed = 1;
    return NULL;
  }
  list->entries = entries;
  struct cpulse_entry *entry = &entries[list->count++];
  *entry = (struct cpulse_entry){.client = PA_INVALID_INDEX, .device = PA_INVALID_INDEX};
  return entry;
}

static void take_server(pa_context *context, const pa_server_info *info, void *list) {
  (void)context;
  struct cpulse_entry *entry = next(list, info, info ? 0 : -1);
  if (entry) {
    entry->name = copy(info->default_sink_name);
    entry->text = copy(info->default_source_name);
  }
  ((struct cpulse_list *)list)->is_done = 1;
}

static void take_sink(pa_context *context, const pa_sink_info *info, int end, void *list) {
  (void)context;
  struct cpulse_entry *entry = next(list, info, end);
  if (!entry) return;
  entry->index = info->index;
  entry->name = copy(info->name);
  entry->text = copy(info->description);
  entry->monitor = copy(info->monitor_source_name);
  entry->is_suspended = info->state == PA_SINK_SUSPENDED;
}

static void take_source(pa_context *context, const pa_source_info *info, int end, void *list) {
  (void)context;
  struct cpulse_entry *entry = next(list, info, end);
  if (!entry) return;
  entry->index = info->index;
  entry->name = copy(info->name);
  entry->text = copy(info->description);
  entry->is_monitor = info->monitor_of_sink != PA_INVALID_INDEX;
}

static void take_client(pa_context *context, const pa_client_info *info, int end, void *list) {
  (void)context;
  struct cpulse_entry *entry = next(list, info, end);
  if (!entry) return;
  entry->index = info->index;
  const struct cpulse *pulse = &((struct cpulse_list *)list)->library;
  const char *pid = pulse->proplist_gets(info->proplist, "application.process.id");
  // PipeWire's own clients need not tell.
  if (!pid) pid = pulse->proplist_gets(info->proplist, "pipewire.sec.pid");
  long number = pid ? strtol(pid, NULL, 10) : 0;
  entry->pid = number > 0 && number <= INT32_MAX ? (int32_t)number : 0;
}

static void take_input(pa_context *context, const pa_sink_input_info *info, int end, void *list) {
  (void)context;
  struct cpulse_entry *entry = next(list, info, end);
  if (!entry) return;
  entry->index = info->index;
  entry->client = info->client;
  entry->device = info->sink;
  const struct cpulse *pulse = &((struct cpulse_list *)list)->library;
  entry->volume = info->has_volume ? pulse->sw_volume_to_linear(pulse->cvolume_max(&info->volume)) : 1;
  entry->is_muted = info->mute != 0;
  entry->is_corked = info->corked != 0;
}

static void take_output(pa_context *context, const pa_source_output_info *info, int end, void *list) {
  (void)context;
  struct cpulse_entry *entry = next(list, info, end);
  if (!entry) return;
  entry->index = info->index;
  entry->client = info->client;
  entry->device = info->source;
  entry->is_corked = info->corked != 0;
}

static pa_operation *ask(pa_context *context, enum cpulse_kind kind, struct cpulse_list *list) {
  const struct cpulse *pulse = &list->library;
  switch (kind) {
    case CPULSE_SERVER: return pulse->context_get_server_info(context, take_server, list);
    case CPULSE_SINKS: return pulse->context_get_sink_info_list(context, take_sink, list);
    case CPULSE_SOURCES: return pulse->context_get_source_info_list(context, take_source, list);
    case CPULSE_CLIENTS: return pulse->context_get_client_info_list(context, take_client, list);
    case CPULSE_INPUTS: return pulse->context_get_sink_input_info_list(context, take_input, list);
    case CPULSE_OUTPUTS: return pulse->context_get_source_output_info_list(context, take_output, list);
  }
  return NULL;
}

struct cpulse_list *cpulse_list_new(
    const struct cpulse *library, pa_context *context, enum cpulse_kind kind) {
  struct cpulse_list *list = calloc(1, sizeof *list);
  if (!list) return NULL;
  list->library = *library;
  list->operation = ask(context, kind, list);
  if (list->operation) return list;
  free(list);
  return NULL;
}

void cpulse_list_free(struct cpulse_list *list) {
  // Nothing is written to the list after this.
  if (!list->is_done) list->library.operation_cancel(list->operation);
  list->library.operation_unref(list->operation);
  for (size_t index = 0; index < list->count; index++) {
    free(list->entries[index].name);
    free(list->entries[index].text);
    free(list->entries[index].monitor);
  }
  free(list->entries);
  free(list);
}

void cpulse_name(const struct cpulse *library, pa_stream *stream, const char *name) {
  pa_proplist *words = library->proplist_new();
  if (!words) return;
  library->proplist_sets(words, "application.name", name);
  library->proplist_sets(words, "media.name", name);
  pa_operation *operation = library->stream_proplist_update(stream, PA_UPDATE_REPLACE, words, NULL, NULL);
  if (operation) library->operation_unref(operation);
  library->proplist_free(words);
}
