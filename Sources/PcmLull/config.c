#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "pcm_lull.h"

static const char *const categories[] = {"ambient", "soloAmbient", "playback", "record", "playAndRecord"};

static const double longest_seconds = 30;

static int read_category(struct lull_config *config, const char *id, snd_config_t *field) {
  const char *text;
  if (snd_config_get_string(field, &text) < 0) {
    SNDERR("lull: %s is to be a word", id);
    return -EINVAL;
  }
  for (size_t i = 0; i < sizeof categories / sizeof *categories; i++) {
    if (strcmp(text, categories[i]) == 0) {
      strcpy(config->category, text);
      return 0;
    }
  }
  SNDERR("lull: %s is no category: ambient, soloAmbient, playback, record or playAndRecord", text);
  return -EINVAL;
}

static int read_flag(bool *flag, const char *id, snd_config_t *field) {
  int value = snd_config_get_bool(field);
  if (value < 0) {
    SNDERR("lull: %s is to be yes or no", id);
    return -EINVAL;
  }
  *flag = value;
  return 0;
}

static int check_seconds(double seconds, const char *id) {
  if (seconds > 0 && seconds <= longest_seconds) return 0;
  SNDERR("lull: %s is to be seconds, more than 0 and at most 30", id);
  return -EINVAL;
}

static int read_seconds(double *seconds, const char *id, snd_config_t *field) {
  if (snd_config_get_ireal(field, seconds) < 0) *seconds = 0;
  return check_seconds(*seconds, id);
}

static int read_directory(struct lull_config *config, const char *id, snd_config_t *field) {
  const char *text;
  if (snd_config_get_string(field, &text) < 0) {
    SNDERR("lull: %s is to be a path", id);
    return -EINVAL;
  }
  free(config->runtime_dir);
  config->runtime_dir = strdup(text);
  return config->runtime_dir ? 0 : -ENOMEM;
}

static int read_field(struct lull_config *config, snd_config_t *field) {
  const char *id;
  if (snd_config_get_id(field, &id) < 0) return 0;
  if (strcmp(id, "comment") == 0 || strcmp(id, "type") == 0 || strcmp(id, "hint") == 0) return 0;
  if (strcmp(id, "category") == 0) return read_category(config, id, field);
  if (strcmp(id, "mix") == 0) return read_flag(&config->mix, id, field);
  if (strcmp(id, "duck") == 0) return read_flag(&config->duck, id, field);
  if (strcmp(id, "spoken") == 0) return read_flag(&config->spoken, id, field);
  if (strcmp(id, "deep") == 0) return read_seconds(&config->deep, id, field);
  if (strcmp(id, "latency") == 0) return read_seconds(&config->latency, id, field);
  if (strcmp(id, "runtime_dir") == 0) return read_directory(config, id, field);
  SNDERR("lull: unknown field %s", id);
  return -EINVAL;
}

/* The environment is for one program, the configuration for all: the environment wins. */
static int read_environment(struct lull_config *config) {
  const char *text = secure_getenv("LULL_DEEP_BUFFER");
  if (!text || !*text) return 0;
  config->deep = lull_i_decimal(text, 0);
  return check_seconds(config->deep, "LULL_DEEP_BUFFER");
}

int lull_config_read(struct lull_config *config, snd_config_t *fields, snd_pcm_stream_t direction) {
  memset(config, 0, sizeof *config);
  strcpy(config->category, direction == SND_PCM_STREAM_PLAYBACK ? "playback" : "record");
  config->mix = true;
  snd_config_iterator_t i, next;
  snd_config_for_each(i, next, fields) {
    int error = read_field(config, snd_config_iterator_entry(i));
    if (error < 0) return error;
  }
  if (direction == SND_PCM_STREAM_PLAYBACK) return read_environment(config);
  config->deep = 0;
  return 0;
}

void lull_config_free(struct lull_config *config) {
  free(config->runtime_dir);
  config->runtime_dir = NULL;
}
