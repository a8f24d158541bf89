#pragma once

/// Writes one byte to the output: the call comes next.
void announce(void);
/// Stands in a call that waits for something else than one descriptor; returns 0 for an unknown word.
int wait_otherwise(const char *call, long milliseconds);
