/* The connection to lulld: its socket, its start, its lines and their answers are those of liblull. */
#include <stdlib.h>
#include <string.h>

#include "pcm_lull.h"

int lull_control_connect(struct lull_stream *stream, bool starts) {
  lull_control_close(stream);
  lull_options none = {.size = sizeof none};
  lull_program *lulld = stream->lulld = lull_i_make(&none);
  if (!lulld) return -ENOMEM;
  lulld->folder = stream->config.runtime_dir;
  /* The program polls the connection with the stream's other descriptors. */
  lulld->loop = stream->set;
  int code = starts ? lull_i_reach(lulld) : lull_i_connect(lulld, true);
  if (code == LULL_OK) {
    lulld->channel.link = LULL_I_UP;
    return 0;
  }
  if (starts) SNDERR("lull: %s", lulld->error);
  return code == LULL_UNAVAILABLE ? -ECONNREFUSED : code == LULL_REFUSED ? -EPERM : -EIO;
}

void lull_control_close(struct lull_stream *stream) {
  if (!stream->lulld) return;
  lull_i_drop(stream->lulld);
  stream->lulld->loop = -1;
  lull_i_free(stream->lulld);
  stream->lulld = NULL;
}

/* What ALSA is told of an answer that is no `ok`. */
static int refusal(const lull_program *lulld, int code) {
  const char *word = lull_i_text(&lulld->channel.reply, "code");
  if (code == LULL_LOST) return -ECONNRESET;
  if (code == LULL_TIMED_OUT) return -ETIMEDOUT;
  if (strstr(lulld->error, "recording-denied")) {
    SNDERR(LULL_DENIED);
    return -EACCES;
  }
  SNDERR("lull: lulld refused: %s", lulld->error);
  if (code == LULL_WRONG_MODE) return -EACCES;
  if (code == LULL_LIMIT) return -EBUSY;
  return word && strcmp(word, "bad-value") == 0 ? -EINVAL : -EIO;
}

int lull_control_result(struct lull_stream *stream, int code) {
  return code == LULL_OK ? 0 : refusal(stream->lulld, code);
}

bool lull_control_attend(struct lull_stream *stream) {
  lull_program *lulld = stream->lulld;
  if (!lulld) return false;
  lull_i_receive(lulld);
  for (struct lull_i_entry *entry; (entry = lull_i_take_entry(&lulld->channel));) free(entry);
  return lull_i_is_up(lulld);
}
