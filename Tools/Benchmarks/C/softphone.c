#include "bench.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

// stdio.so is left out: it cannot watch /dev/null.
static const char bench_softphone_config[] =
    "poll_method epoll\n"
    "sip_listen 127.0.0.1:%u\n"
    "net_interface 127.0.0.1\n"
    "audio_player aubridge,nil\n"
    "audio_source aubridge,nil\n"
    "audio_alert aubridge,nil\n"
    "rtp_ports 10000-10100\n"
    "dns_server 127.0.0.1:53\n"
    "module_path /usr/lib/baresip/modules\n"
    "module g711.so\n"
    "module aubridge.so\n"
    "module_tmp uuid.so\n"
    "module_tmp account.so\n"
    "module_app menu.so\n";

static FILE *bench_create(const char *folder, const char *name) {
  char path[PATH_MAX];
  bench_path(path, "%s/%s", folder, name);
  FILE *file = fopen(path, "we");
  if (!file) bench_fail("cannot write %s: %s", path, strerror(errno));
  return file;
}

void bench_configure_softphone(const char *folder, uint16_t port, const char *mode) {
  if (mkdir(folder, 0700) < 0) bench_fail("cannot make %s: %s", folder, strerror(errno));
  FILE *config = bench_create(folder, "config"), *accounts = bench_create(folder, "accounts");
  fprintf(config, bench_softphone_config, port);
  fprintf(accounts, "<sip:alice@127.0.0.1>;regint=0;answermode=%s\n", mode);
  if (fclose(config) != 0 || fclose(accounts) != 0) bench_fail("cannot write to %s", folder);
}

void bench_lull_run_softphone(const char *lull, const char *name, char *folder) {
  // It tells of its calls on standard error.
  char script[] = "exec baresip -4 -f \"$0\" 2>/dev/null";
  bench_lull_run(lull, name, (char *const[]){"sh", "-c", script, folder, NULL});
}
