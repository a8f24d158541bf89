/* The inside of liblull, for its tests and its fuzzer. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/// Reads a line as liblull does, and writes what it read: the verb, the notice's name, then key and value of
/// each field, each ended by the byte 0xFF; a flag has no value and a byte 0xFE instead. Returns the number
/// of bytes, or -1 for a line that breaks a rule.
long probe_parse(const uint8_t *line, size_t length, uint8_t *read, size_t room);

/// Writes a line with a text field as liblull does; returns the number of bytes, or -1 for one that is too
/// long.
long probe_write(const uint8_t *value, size_t length, uint8_t *line, size_t room);

/// A program is told these bytes by its lulld, which then ends. Returns the events that its handler got.
long probe_client(const uint8_t *bytes, size_t length);

/// A program starts with this description of its kept lines; returns how many it has.
long probe_restored(const uint8_t *bytes, size_t length);
