// What Swift's Glibc module leaves out of the Linux interface: declarations, constants and the few calls
// that need C (variadic calls, CMSG macros, the code between clone and exec). No policy; one prefix: clinux_.
#pragma once

/// The symbolic name of an error number ("EPERM"), or NULL.
const char *clinux_error_name(int code);
