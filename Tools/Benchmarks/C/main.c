#include "bench.h"

#include <string.h>

int main(int count, char **arguments) {
  if (count > 1 && strcmp(arguments[1], "wake") == 0) return bench_wake_command(count - 2, arguments + 2);
  if (count > 1 && strcmp(arguments[1], "fleet") == 0) return bench_fleet_command(count - 2, arguments + 2);
  if (count > 1 && strcmp(arguments[1], "start") == 0) return bench_start_command(count - 2, arguments + 2);
  bench_fail("usage: lull-bench wake|fleet|start ...");
}
