// The program of `Tools/bench wake` on the library: it answers each wake with the moment at which it had the
// bytes. Started by lull-bench with a name and the port of the sender.

import Glibc
import Lull

func monotonic() -> UInt64 {
  var now = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &now)
  return UInt64(now.tv_sec) * 1_000_000_000 + UInt64(now.tv_nsec)
}

func received(_ stream: VoIPStream) {
  guard !stream.read().isEmpty else { return }
  let now = monotonic()
  stream.write((0..<8).map { UInt8(truncatingIfNeeded: now >> ($0 * 8)) })
}

/// It has nothing to do but what wakes it.
final class Delegate: ApplicationDelegate {
  func applicationDidEnterBackground(_ application: Application) { application.finishedHandlingWake() }
}

guard CommandLine.arguments.count == 3, let port = UInt16(CommandLine.arguments[2]) else {
  print("usage: lull-bench-client NAME PORT")
  exit(64)
}
let delegate = Delegate()
let application = try Application(
  name: CommandLine.arguments[1], modes: .voip, launch: .background, host: .daemon, delegate: delegate)
let stream = try VoIPStream(host: "127.0.0.1", port: port, application: application) { stream, event in
  switch event {
  case .hasBytesAvailable: received(stream)
  case .errorOccurred, .endEncountered: application.stop()
  case .openCompleted, .hasSpaceAvailable: break
  }
  application.finishedHandlingWake()
}
application.run()
