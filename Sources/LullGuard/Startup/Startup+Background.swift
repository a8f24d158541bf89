import LullChannel
import LullEngine
import LullSystem
import LullWire

extension Startup {
  /// Starts the guard in a session of its own and waits until it listens or reports a failure.
  static func daemonize(_ arguments: [String]) -> Int32 {
    attempt("lull-guard") { () throws(SystemError) in
      let (own, other) = try UnixSocket.pair()
      let number: Int32 = 3
      let path = try Process.executablePath()
      let rest = arguments.filter { $0 != "--daemonize" }
      // A starter that the arguments name stands behind the usual one.
      let usual = [DaemonLauncher.starterOption, Vocabulary.Starter.use.rawValue]
      var request = SpawnRequest([path] + usual + rest + ["--ready", "\(number)"])
      request.environment = Identity.allEnvironment()
      request.directory = try Files.openDirectory("/").take()
      let null = try Files.openNull()
      request.standardInput = null.raw
      request.standardOutput = null.raw
      request.standardError = null.raw
      request.passed = [.init(other.raw, as: number)]
      request.group = .newSession
      _ = try Process.spawn(request)
      other.close()
      let patience = SupervisionPolicy().daemonStarting
      let milliseconds = Int32(clamping: patience.nanoseconds / 1_000_000)
      var buffer = ReceiveBuffer(capacity: 4096)
      while true {
        _ = try Socket.poll(own.raw, .readable, timeoutMilliseconds: milliseconds)
        switch try Socket.read(own.raw, into: &buffer) {
        case .bytes:
          try StandardStreams.write(Array(buffer.received), to: StandardStreams.error)
          return 1
        case .endOfStream: return 0
        case .wouldBlock:
          StandardError.say("lull-guard: lulld did not start within \(Int(patience.seconds)) s")
          return 1
        }
      }
    }
  }
}
