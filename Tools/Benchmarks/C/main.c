#include "bench.h"

#include <string.h>

static const struct {
  const char *name;
  int (*run)(int count, char **arguments);
} bench_commands[] = {
    {"wake", bench_wake_command},     {"fleet", bench_fleet_command},   {"start", bench_start_command},
    {"calls", bench_calls_command},   {"invite", bench_invite_command}, {"freeze", bench_freeze_command},
    {"cycles", bench_cycles_command}, {"eight", bench_eight_command},   {"echo", bench_echo_command},
    {"many", bench_many_command}, {"scale", bench_scale_command},   {"servers", bench_servers_command},
    {"compare", bench_compare_command}, {"edge", bench_edge_command},     {"call", bench_call_command},
    {"way", bench_way_command},         {"status", bench_status_command},
    {"notify", bench_notify_command},   {"compact", bench_compact_command}, {"memory", bench_memory_command},
};

int main(int count, char **arguments) {
  for (size_t index = 0; count > 1 && index < sizeof bench_commands / sizeof *bench_commands; index++)
    if (strcmp(arguments[1], bench_commands[index].name) == 0)
      return bench_commands[index].run(count - 2, arguments + 2);
  bench_fail("usage: lull-bench wake|fleet|start|calls|invite|freeze|cycles|call|compact ...");
}
