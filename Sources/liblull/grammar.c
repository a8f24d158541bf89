/* Lines of the control protocol, read in place and written (docs/PROTOCOL.md, "Lines"). */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "internal.h"

const char *const lull_i_modes[] = {"voip",     "audio",    "external-accessory", "fetch",
                                    "remote-notification", "location", "bluetooth-central",
                                    "bluetooth-peripheral", NULL};
const char *const lull_i_line_types[] = {"voip", "accessory", "location", "bluetooth", NULL};
const char *const lull_i_offloads[] = {"line", "crlf", "udp-keepalive", "stun", NULL};
const char *const lull_i_messages[] = {
    "", "willFinishLaunching", "didFinishLaunching", "didBecomeActive", "willResignActive",
    "didEnterBackground", "willEnterForeground", "willTerminate", "protectedDataWillBecomeUnavailable",
    "protectedDataDidBecomeAvailable", NULL};
const char *const lull_i_wakes[] = {
    "", "data", "closed", "error", "accept", "keepalive", "notification", "accessory", "operator", "child",
    "writable", "unfrozen", "refill", "timer", "signal", "network", "resumed", "url", "lock", "location",
    "bluetooth", "fetch", "push", NULL};
const char *const lull_i_launches[] = {"user", "url", "notification", "data", "keepalive",
                                       "boot", "crash", "fetch", "push", NULL};
const char *const lull_i_changes[] = {"network",   "time",     "zone",   "power", "route",
                                      "accessory", "settings", "memory", "lock",  NULL};
const char *const lull_i_fetches[] = {"new-data", "no-data", "failed", NULL};
const char *const lull_i_suspensions[] = {"none", "cgroup", "signal", NULL};
const char *const lull_i_powers[] = {"unknown", "mains", "battery", NULL};

static bool is_letter(char byte) { return (byte | 0x20) >= 'a' && (byte | 0x20) <= 'z'; }
static bool is_digit(char byte) { return byte >= '0' && byte <= '9'; }
static bool is_control(char byte) { return (unsigned char)byte < 0x20 || byte == 0x7F; }
static bool is_key(char byte) { return is_letter(byte) || is_digit(byte) || byte == '-'; }
static bool is_verb(char byte) { return is_key(byte) && !(byte >= 'A' && byte <= 'Z'); }

/// Whether the byte can stand in a value without quotes.
static bool is_bare(char byte) {
  return !is_control(byte) && byte != ' ' && byte != '"' && byte != '=' && byte != '\\';
}

/// The bytes of the scalar at the start of a text; 0: none is there.
static size_t scalar(const unsigned char *text) {
  static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
  if (*text < 0x80) return 1;
  if (*text < 0xC0 || *text > 0xF4) return 0;
  size_t count = *text >= 0xF0 ? 4 : *text >= 0xE0 ? 3 : 2;
  uint32_t value = *text & (0x7Fu >> count);
  for (size_t index = 1; index < count; index++) {
    if ((text[index] & 0xC0) != 0x80) return 0;
    value = value << 6 | (text[index] & 0x3F);
  }
  bool is_surrogate = value >> 11 == 0x1B;
  return value >= least[count] && value <= 0x10FFFF && !is_surrogate ? count : 0;
}

static bool is_utf8(const char *line) {
  const unsigned char *text = (const unsigned char *)line;
  size_t count = 1;
  for (; *text && count > 0; text += count) count = scalar(text);
  return count > 0;
}

/// Writes the escape behind a backslash to `to`; false when it is none.
static bool unescape(char **next, char **to) {
  static const char letters[] = "\"\\nrt", bytes[] = "\"\\\n\r\t";
  char letter = **next, digits[5] = "";
  if (letter == 0) return false;
  ++*next;
  const char *found = strchr(letters, letter);
  if (found) {
    *(*to)++ = bytes[found - letters];
    return true;
  }
  if (letter != 'u' || strspn(*next, "0123456789abcdefABCDEF") < 4) return false;
  memcpy(digits, *next, 4);
  *next += 4;
  unsigned long value = strtoul(digits, NULL, 16);
  if (value > 0xFF) return false;
  if (value >= 0x80) *(*to)++ = (char)(0xC0 | value >> 6);
  *(*to)++ = (char)(value >= 0x80 ? 0x80 | (value & 0x3F) : value);
  return true;
}

static bool read_quoted(char **next, struct lull_i_field *field) {
  char *to = *next, byte;
  field->value = to;
  while ((byte = *(*next)++) != '"') {
    // The NUL at the end of the line is one, too.
    if (is_control(byte)) return false;
    if (byte != '\\') *to++ = byte;
    else if (!unescape(next, &to)) return false;
  }
  field->length = (size_t)(to - field->value);
  // The value became no longer than it was: this is at most the place of the closing quote.
  *to = 0;
  return true;
}

/// A word of at most 32 bytes that begins with a letter; NULL when none is there.
static char *read_word(char **next, bool (*is_part)(char)) {
  char *word = *next;
  while (is_part(**next)) ++*next;
  return is_letter(*word) && *next - word <= LULL_I_WORD ? word : NULL;
}

/// Ends a word or a value with NUL; false unless a space or the end of the line is there.
static bool terminate(char **next) {
  if (**next && **next != ' ') return false;
  if (**next) *(*next)++ = 0;
  *next += strspn(*next, " ");
  return true;
}

static const char *read_verb(char **next) {
  char *verb = read_word(next, is_verb);
  return verb && terminate(next) ? verb : NULL;
}

static bool read_field(char **next, struct lull_i_message *message) {
  if (message->count == LULL_I_FIELDS) return false;
  struct lull_i_field *field = &message->fields[message->count];
  *field = (struct lull_i_field){.key = read_word(next, is_key)};
  if (!field->key) return false;
  if (**next == '=') {
    *(*next)++ = 0;
    if (**next == '"') {
      ++*next;
      if (!read_quoted(next, field)) return false;
    } else {
      field->value = *next;
      while (is_bare(**next)) ++*next;
      field->length = (size_t)(*next - field->value);
      if (field->length == 0) return false;
    }
  }
  if (!terminate(next) || lull_i_text(message, field->key)) return false;
  message->count++;
  return true;
}

bool lull_i_parse(char *line, size_t length, struct lull_i_message *message) {
  if (length > 0 && line[length - 1] == '\r') length--;
  line[length] = 0;
  if (strlen(line) != length || !is_utf8(line)) return false;
  char *next = line + strspn(line, " ");
  message->count = 0;
  message->notice = NULL;
  message->verb = read_verb(&next);
  if (!message->verb) return false;
  if (strcmp(message->verb, "event") == 0 && !(message->notice = read_verb(&next))) return false;
  while (*next)
    if (!read_field(&next, message)) return false;
  return true;
}

const char *lull_i_text(const struct lull_i_message *message, const char *key) {
  for (size_t index = 0; index < message->count; index++)
    if (strcmp(message->fields[index].key, key) == 0)
      return message->fields[index].value ? message->fields[index].value : "true";
  return NULL;
}

uint64_t lull_i_digits(const char *text, uint64_t missing) {
  char *end;
  if (!text || !is_digit(*text)) return missing;
  errno = 0;
  uint64_t number = strtoull(text, &end, 10);
  return errno || *end ? missing : number;
}

uint64_t lull_i_number(const struct lull_i_message *message, const char *key, uint64_t missing) {
  return lull_i_digits(lull_i_text(message, key), missing);
}

double lull_i_seconds(const struct lull_i_message *message, const char *key, double missing) {
  return lull_i_decimal(lull_i_text(message, key), missing);
}

double lull_i_decimal(const char *text, double missing) {
  char *end;
  if (!text || !(is_digit(*text) || *text == '.')) return missing;
  // The decimal point of strtod depends on the locale.
  double seconds = (double)strtoull(text, &end, 10), part = 1;
  if (*end == '.')
    while (is_digit(*++end)) seconds += (*end - '0') * (part /= 10);
  return *end ? missing : seconds;
}

static void put(struct lull_i_writer *writer, const char *bytes, size_t count) {
  writer->overflows = writer->overflows || count > sizeof writer->bytes - writer->count;
  if (writer->overflows) return;
  memcpy(writer->bytes + writer->count, bytes, count);
  writer->count += count;
}

static void put_value(struct lull_i_writer *writer, const char *value) {
  const char *end = value;
  while (is_bare(*end)) end++;
  bool is_quoted = *value == 0 || *end;
  put(writer, "=\"", is_quoted ? 2 : 1);
  for (; *value; value++) {
    char escape[8] = {'\\', *value};
    if (is_control(*value)) put(writer, escape, (size_t)snprintf(escape, sizeof escape, "\\u00%02X", *value));
    else if (*value == '"' || *value == '\\') put(writer, escape, 2);
    else put(writer, value, 1);
  }
  put(writer, "\"", is_quoted);
}

static void format_seconds(char *text, size_t size, double seconds) {
  const double longest = 9223372036.0;  // the year 2262; lulld has shorter bounds for most fields
  seconds = seconds > longest ? longest : seconds > 0 ? seconds : 0;
  // A double has 15 digits: a date to the microsecond. The decimal point of printf depends on the locale.
  uintmax_t micro = (uintmax_t)(seconds * 1e6 + 0.5);
  size_t count = (size_t)snprintf(text, size, "%ju.%06u", micro / 1000000, (unsigned)(micro % 1000000));
  while (text[count - 1] == '0') text[--count] = 0;
  if (text[count - 1] == '.') text[count - 1] = 0;
}

void lull_i_write(struct lull_i_writer *writer, const char *format, va_list values) {
  size_t verb = strcspn(format, " ");
  writer->count = 0;
  writer->overflows = false;
  put(writer, format, verb);
  for (format += verb; *format; format += strcspn(format, " ")) {
    const char *key = format;
    size_t length = strcspn(key, "?=");
    format = strchr(key, '%') + 1;
    char text[40];
    const char *value = text;
    uintmax_t number;
    double seconds;
    bool is_given;
    if (*format == 's') {
      value = va_arg(values, const char *);
      is_given = value;
    } else if (*format == 'f') {
      seconds = va_arg(values, double);
      is_given = seconds > 0;
      format_seconds(text, sizeof text, seconds);
    } else {
      number = *format == 'd' ? (uintmax_t)va_arg(values, int) : va_arg(values, uintmax_t);
      is_given = number > 0;
      snprintf(text, sizeof text, "%ju", number);
    }
    if (key[length] == '?' && !is_given) continue;
    put(writer, key, length);
    if (format[-2] == '=') put_value(writer, value);
  }
  put(writer, "\n", 1);
}

const char *lull_i_words(char *text, unsigned set, const char *const *words) {
  *text = 0;
  for (unsigned bit = 0; words[bit]; bit++) {
    if (!(set & 1u << bit)) continue;
    size_t used = strlen(text);
    snprintf(text + used, LULL_I_WORDS - used, "%s%s", used ? "," : "", words[bit]);
  }
  return text;
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
  return 0;
}
