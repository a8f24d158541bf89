import LullSystem

/// The work of both executables before their loop.
package enum Startup {
  private static let guardUsage = """
    usage: lull-guard [--daemonize] [--no-boot] [--clock-rate R]
    Starts lulld, keeps what must outlive it, thaws every program and starts it
    again when it dies.
      --daemonize      return when the socket accepts
      --no-boot        start nothing that is installed
      --clock-rate R   as for lulld
      --version        print the version

    """

  package static func guardian(arguments: [String]) -> Int32 {
    run("lull-guard", arguments: arguments, usage: guardUsage) { guardian($0, arguments) }
  }

  package static func run(
    _ name: String, arguments: [String], usage: String, _ body: (DaemonOptions) -> Int32
  ) -> Int32 {
    do {
      let options = try DaemonOptions.parse(arguments, usage: usage)
      if let information = options.information { return print(information, of: name) }
      try options.checkInherited()
      // One that was started from /proc, since its file is gone or does not serve, is called "exe" by ps.
      Process.setName(name)
      // While it is stopped nobody but the kernel would notice that the other one of the pair has died.
      if options.isGuarded || options.adopts { try? Process.expectParentDeath(Signal.continue) }
      return body(options)
    } catch {
      StandardError.say("\(name): \(error)")
      return 64
    }
  }

  private static func print(_ text: String, of name: String) -> Int32 {
    do {
      try StandardStreams.write(Array((text + "\n").utf8), to: StandardStreams.output)
      return 0
    } catch {
      StandardError.say("\(name): the output cannot be written: \(error.message)")
      return 1
    }
  }

  /// Returns 1 where `body` throws, with the reason on standard error.
  package static func attempt(_ name: String, _ body: () throws -> Int32) -> Int32 {
    do {
      return try body()
    } catch {
      StandardError.say("\(name): \(error)")
      return 1
    }
  }
}
