// The engine alone, without a daemon: `lull-bench-engine engine` and `lull-bench-engine keepalive`.

import Glibc

switch CommandLine.arguments.dropFirst().first {
case "engine": EngineBenchmark.run()
case "keepalive": KeepAliveBenchmark.run()
default:
  print("usage: lull-bench-engine engine|keepalive")
  exit(64)
}
