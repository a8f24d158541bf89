/* Lines of the control protocol, read in place and written (docs/PROTOCOL.md, "Lines"). */
#include <stdio.h>
#include <string.h>

#include "internal.h"

const char *const lull_i_modes[] = {"voip",     "audio",    "external-accessory", "fetch",
                                    "remote-notification", "location", "bluetooth-central",
                                    "bluetooth-peripheral", NULL};
const char *const lull_i_line_types[] = {"voip", "accessory", "location", "bluetooth", NULL};
const char *const lull_i_offloads[] = {"line", "crlf", "udp-keepalive", "stun", NULL};
const char *const lull_i_messages[] = {
    "willFinishLaunching", "didFinishLaunching",    "didBecomeActive",
    "willResignActive",    "didEnterBackground",    "willEnterForeground",
    "willTerminate",       "protectedDataWillBecomeUnavailable",
    "protectedDataDidBecomeAvailable", NULL};
const char *const lull_i_wakes[] = {
    "data",     "closed",   "error",  "accept", "keepalive", "notification", "accessory", "operator", "child",
    "writable", "unfrozen", "refill", "timer",  "signal",    "network",      "resumed",   "url",      "lock",
    "location", "bluetooth", "fetch", "push",  NULL};
const char *const lull_i_launches[] = {"user", "url", "notification", "data", "keepalive",
                                       "boot", "crash", "fetch", "push", NULL};
const char *const lull_i_changes[] = {"network",   "time",     "zone",   "power", "route",
                                      "accessory", "settings", "memory", "lock",  NULL};
const char *const lull_i_fetches[] = {"new-data", "no-data", "failed", NULL};
const char *const lull_i_suspensions[] = {"none", "cgroup", "signal", NULL};
const char *const lull_i_powers[] = {"unknown", "mains", "battery", NULL};

static bool is_lower(unsigned char byte) { return byte >= 'a' && byte <= 'z'; }
static bool is_digit(unsigned char byte) { return byte >= '0' && byte <= '9'; }
static bool is_letter(unsigned char byte) { return is_lower(byte | 0x20); }
static bool is_control(unsigned char byte) { return byte < 0x20 || byte == 0x7F; }
static bool is_verb(unsigned char byte) { return is_lower(byte) || is_digit(byte) || byte == '-'; }
static bool is_key(unsigned char byte) { return is_letter(byte) || is_digit(byte) || byte == '-'; }

/// Whether the byte can stand in a value without quotes.
static bool is_bare(unsigned char byte) {
  return byte > ' ' && byte != '"' && byte != '=' && byte != '\\' && byte != 0x7F;
}

/// The bytes of the scalar at the start of a text that begins with a byte above 0x7F; 0: none is there.
static size_t scalar(const unsigned char *text, size_t length) {
  size_t count = text[0] >= 0xF0 ? 4 : text[0] >= 0xE0 ? 3 : 2;
  if (text[0] < 0xC2 || text[0] > 0xF4 || count > length) return 0;
  for (size_t index = 1; index < count; index++)
    if ((text[index] & 0xC0) != 0x80) return 0;
  // Too long a form, a surrogate, more than U+10FFFF.
  if (text[0] == 0xE0 && text[1] < 0xA0) return 0;
  if (text[0] == 0xED && text[1] > 0x9F) return 0;
  if (text[0] == 0xF0 && text[1] < 0x90) return 0;
  if (text[0] == 0xF4 && text[1] > 0x8F) return 0;
  return count;
}

static bool is_utf8(const char *line, size_t length) {
  const unsigned char *text = (const unsigned char *)line;
  for (size_t place = 0; place < length;) {
    size_t count = text[place] < 0x80 ? 1 : scalar(text + place, length - place);
    if (count == 0) return false;
    place += count;
  }
  return true;
}

/// What is left of a line.
struct reader {
  char *next, *end;
};

static void skip_spaces(struct reader *reader) {
  while (reader->next < reader->end && *reader->next == ' ') reader->next++;
}

static int hexadecimal(const char *digits) {
  int value = 0;
  for (int index = 0; index < 4; index++) {
    unsigned char digit = (unsigned char)digits[index];
    int number = is_digit(digit) ? digit - '0' : is_letter(digit) ? (digit | 0x20) - 'a' + 10 : 16;
    if (number > 15) return -1;
    value = value << 4 | number;
  }
  return value <= 0xFF ? value : -1;
}

/// Writes the escape behind a backslash to `to`; false when it is none.
static bool unescape(struct reader *reader, char **to) {
  static const char letters[] = "\"\\nrt", bytes[] = "\"\\\n\r\t";
  char letter = *reader->next++;
  const char *found = letter ? strchr(letters, letter) : NULL;
  if (found) {
    *(*to)++ = bytes[found - letters];
    return true;
  }
  if (letter != 'u' || reader->end - reader->next < 4) return false;
  int value = hexadecimal(reader->next);
  if (value < 0) return false;
  reader->next += 4;
  if (value >= 0x80) *(*to)++ = (char)(0xC0 | value >> 6);
  *(*to)++ = (char)(value >= 0x80 ? 0x80 | (value & 0x3F) : value);
  return true;
}

static bool read_quoted(struct reader *reader, struct lull_i_field *field) {
  char *to = ++reader->next;
  field->value = to;
  while (reader->next < reader->end) {
    char byte = *reader->next++;
    if (byte == '"') {
      field->length = (size_t)(to - field->value);
      // The value became no longer than it was: this is at most the place of the closing quote.
      *to = 0;
      return true;
    }
    if (byte != '\\') {
      if (is_control((unsigned char)byte)) return false;
      *to++ = byte;
    } else if (reader->next == reader->end || !unescape(reader, &to)) {
      return false;
    }
  }
  return false;
}

static bool read_value(struct reader *reader, struct lull_i_field *field) {
  *reader->next++ = 0;
  if (reader->next == reader->end || *reader->next == ' ') return false;
  if (*reader->next == '"') return read_quoted(reader, field);
  field->value = reader->next;
  while (reader->next < reader->end && is_bare((unsigned char)*reader->next)) reader->next++;
  field->length = (size_t)(reader->next - field->value);
  return field->length > 0;
}

/// A word of at most 32 bytes; what stands behind it is still to be checked.
static char *read_word(struct reader *reader, bool (*is_other)(unsigned char)) {
  char *word = reader->next;
  while (reader->next < reader->end && is_other((unsigned char)*reader->next)) reader->next++;
  return reader->next - word <= LULL_I_WORD ? word : NULL;
}

/// Ends a word or a value with NUL; false unless a space or the end of the line is there.
static bool terminate(struct reader *reader) {
  if (reader->next < reader->end && *reader->next != ' ') return false;
  *reader->next = 0;
  if (reader->next < reader->end) reader->next++;
  skip_spaces(reader);
  return true;
}

static const char *read_verb(struct reader *reader) {
  if (reader->next == reader->end || !is_lower((unsigned char)*reader->next)) return NULL;
  char *verb = read_word(reader, is_verb);
  return verb && terminate(reader) ? verb : NULL;
}

static bool read_field(struct reader *reader, struct lull_i_message *message) {
  if (message->count == LULL_I_FIELDS || !is_letter((unsigned char)*reader->next)) return false;
  struct lull_i_field *field = &message->fields[message->count];
  *field = (struct lull_i_field){.key = read_word(reader, is_key)};
  if (!field->key) return false;
  bool has_value = reader->next < reader->end && *reader->next == '=';
  if ((has_value && !read_value(reader, field)) || !terminate(reader)) return false;
  for (size_t index = 0; index < message->count; index++)
    if (strcmp(message->fields[index].key, field->key) == 0) return false;
  message->count++;
  return true;
}

bool lull_i_parse(char *line, size_t length, struct lull_i_message *message) {
  if (length > 0 && line[length - 1] == '\r') length--;
  if (!is_utf8(line, length)) return false;
  struct reader reader = {line, line + length};
  message->count = 0;
  message->notice = NULL;
  skip_spaces(&reader);
  message->verb = read_verb(&reader);
  if (!message->verb) return false;
  if (strcmp(message->verb, "event") == 0) {
    message->notice = read_verb(&reader);
    if (!message->notice) return false;
  }
  while (reader.next < reader.end)
    if (!read_field(&reader, message)) return false;
  return true;
}

const char *lull_i_text(const struct lull_i_message *message, const char *key) {
  for (size_t index = 0; index < message->count; index++)
    if (strcmp(message->fields[index].key, key) == 0)
      return message->fields[index].value ? message->fields[index].value : "true";
  return NULL;
}

/// Reads digits up to the end or a byte that is none.
static bool read_digits(const char **text, uint64_t *number) {
  const char *start = *text;
  for (*number = 0; is_digit((unsigned char)**text); (*text)++) {
    uint64_t digit = (uint64_t)(**text - '0');
    if (*number > (UINT64_MAX - digit) / 10) return false;
    *number = *number * 10 + digit;
  }
  return *text > start;
}

bool lull_i_number(const struct lull_i_message *message, const char *key, uint64_t *number) {
  const char *text = lull_i_text(message, key);
  return text && read_digits(&text, number) && *text == 0;
}

bool lull_i_seconds(const struct lull_i_message *message, const char *key, double *seconds) {
  const char *text = lull_i_text(message, key);
  uint64_t whole, fraction = 0;
  if (!text || !read_digits(&text, &whole)) return false;
  double scale = 1;
  if (*text == '.') {
    const char *start = ++text;
    if (!read_digits(&text, &fraction) || text - start > 9) return false;
    for (; start < text; start++) scale *= 10;
  }
  *seconds = (double)whole + (double)fraction / scale;
  return *text == 0;
}

static void put(struct lull_i_writer *writer, const char *bytes, size_t count) {
  if (count > sizeof writer->bytes - writer->count) {
    writer->overflows = true;
    return;
  }
  memcpy(writer->bytes + writer->count, bytes, count);
  writer->count += count;
}

static void put_text(struct lull_i_writer *writer, const char *text) { put(writer, text, strlen(text)); }

void lull_i_begin(struct lull_i_writer *writer, const char *verb) {
  writer->count = 0;
  writer->overflows = false;
  put_text(writer, verb);
}

void lull_i_end(struct lull_i_writer *writer) { put(writer, "\n", 1); }

static void put_escaped(struct lull_i_writer *writer, unsigned char byte) {
  char escape[8] = {'\\', (char)byte};
  if (byte != '"' && byte != '\\') snprintf(escape, sizeof escape, "\\u00%02X", byte);
  put_text(writer, escape);
}

void lull_i_add(struct lull_i_writer *writer, const char *key, const char *value) {
  if (!value) return;
  bool bare = *value != 0;
  for (const char *byte = value; *byte; byte++) bare = bare && is_bare((unsigned char)*byte);
  lull_i_add_flag(writer, key, true);
  put_text(writer, bare ? "=" : "=\"");
  for (const char *byte = value; *byte && !writer->overflows; byte++) {
    if (*byte == '"' || *byte == '\\' || is_control((unsigned char)*byte)) {
      put_escaped(writer, (unsigned char)*byte);
    } else {
      put(writer, byte, 1);
    }
  }
  if (!bare) put_text(writer, "\"");
}

void lull_i_add_flag(struct lull_i_writer *writer, const char *key, bool flag) {
  if (!flag) return;
  put_text(writer, " ");
  put_text(writer, key);
}

void lull_i_add_number(struct lull_i_writer *writer, const char *key, uint64_t number) {
  char text[24];
  snprintf(text, sizeof text, "%llu", (unsigned long long)number);
  lull_i_add(writer, key, text);
}

void lull_i_add_seconds(struct lull_i_writer *writer, const char *key, double seconds) {
  const double longest = 9223372036.0;  // the year 2262; lulld has shorter bounds for most fields
  char text[40];
  if (!(seconds > 0)) seconds = 0;
  if (seconds > longest) seconds = longest;
  // A double has 15 digits: a date to the microsecond. The decimal point of printf depends on the locale.
  uint64_t micro = (uint64_t)(seconds * 1e6 + 0.5);
  size_t count = (size_t)snprintf(text, sizeof text, "%llu.%06u", (unsigned long long)(micro / 1000000),
                                  (unsigned)(micro % 1000000));
  while (text[count - 1] == '0') text[--count] = 0;
  if (text[count - 1] == '.') text[count - 1] = 0;
  lull_i_add(writer, key, text);
}

void lull_i_add_words(struct lull_i_writer *writer, const char *key, unsigned set, const char *const *words) {
  char text[128] = "";
  for (unsigned bit = 0; words[bit]; bit++) {
    if (!(set & 1u << bit)) continue;
    size_t used = strlen(text);
    snprintf(text + used, sizeof text - used, "%s%s", used ? "," : "", words[bit]);
  }
  lull_i_add(writer, key, text);
}

unsigned lull_i_word_set(const char *text, const char *const *words) {
  unsigned set = 0;
  while (text && *text) {
    size_t length = strcspn(text, ",");
    for (unsigned bit = 0; words[bit]; bit++)
      if (strlen(words[bit]) == length && memcmp(words[bit], text, length) == 0) set |= 1u << bit;
    text += length + (text[length] == ',');
  }
  return set;
}

int lull_i_word(const char *text, const char *const *words) {
  for (int place = 0; text && words[place]; place++)
    if (strcmp(words[place], text) == 0) return place;
  return -1;
}
