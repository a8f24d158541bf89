import LullChannel
import LullEngine
import LullSystem

extension Startup {
  /// The lock of the runtime directory. It is held while lull-guard or lulld lives, because both have the
  /// same open file. Nil when another pair holds it.
  static func lock(_ options: DaemonOptions, _ socket: String) throws(SystemError) -> Descriptor? {
    if options.adopts, options.isLocked { return Descriptor(owning: DaemonOptions.lockNumber) }
    let (path, policy, start) = (Leftovers().lockPath, SupervisionPolicy(), Clock.boottime())
    while true {
      if let lock = try Files.lock(path) { return lock }
      // A pair that lives listens, or will soon. One that was killed listens until the kernel has closed its
      // files; any other process holds the lock only while it thaws.
      let patience = UnixSocket.isListening(path: socket) ? policy.killedListening : policy.leftoverTime
      guard Clock.boottime() - start < patience.nanoseconds else { return nil }
      var none: [PollEntry] = []
      try Socket.pollMany(&none, timeoutMilliseconds: 10)
    }
  }

  static func releaseLeftovers() {
    let released = Leftovers().release()
    guard !released.isEmpty else { return }
    StandardError.say("lull-guard: \(released.text)")
  }
}
