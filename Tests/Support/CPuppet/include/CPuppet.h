// What the puppet needs and Swift's Glibc module leaves out.
#pragma once

/// prctl(PR_SET_DUMPABLE, 0): takes the ptrace rights over this process away from others of its uid.
int cpuppet_set_undumpable(void);
