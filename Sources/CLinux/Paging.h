#ifndef CLINUX_PAGING_H
#define CLINUX_PAGING_H

#include "History.h"

// Gives the pages of a frozen process back, but those that came back since. 0: all that could go has gone; 1:
// stopped, because another thread has set `is_stopped`; -1: failed.
int clinux_page_out(pid_t pid, struct histories *histories, const int *is_stopped);

void clinux_forget_ended(struct histories *histories);

#endif
