import LullSystem

/// The work of both executables before their loop.
package enum Startup {
  private static let daemonUsage = """
    usage: lulld [--clock-rate R]
    The daemon of Lull: freezes background programs and wakes them for their calls.
    Started by hand it is its own guard, which starts the daemon again should it
    die; SIGTERM ends both, with every program thawed.
      --clock-rate R   the engine's clock runs R times as fast (1 to 1000), to try
                       600 s by hand
      --version        print the version
    Environment:
      LULL_RUNTIME_DIR        where the socket "control" is made
      LULL_CGROUP_ROOT        where the programs' cgroups are made
      LULL_SOUND_DEVICE       the ALSA device of lull-audio ("default")
      LULL_ALERT_DEVICE       the device on which notifications sound ("default")
      LULL_SOUND_CLOSE_AFTER  seconds without sound until it is closed (10)

    """
  static let guardUsage = """
    usage: lull-guard [--daemonize] [--clock-rate R]
    Starts lulld, keeps what must outlive it, thaws every program and starts it
    again when it dies.
      --daemonize      return when the socket accepts
      --clock-rate R   as for lulld
      --version        print the version

    """

  /// Runs lulld; returns its exit status.
  package static func daemon(arguments: [String]) -> Int32 {
    run("lulld", arguments: arguments, usage: daemonUsage) { options in
      // The guard runs from the same file as the daemon: both processes share its pages, and no second
      // program has to be loaded.
      options.isGuarded ? serve(options) : guardian(arguments: arguments)
    }
  }

  private static func serve(_ options: DaemonOptions) -> Int32 {
    let log = StandardErrorLog(process: "lulld")
    var options = options
    options.openFileLimit = log.ignoring([], try Limits.openFiles())
    options.limitClients(openFiles: log.ignoring([], try Limits.raiseOpenFiles()) ?? 1024)
    Alarm.set(seconds: DaemonOptions.longestTurn)
    return attempt("lulld") { () throws(SystemError) in
      let daemon = try Daemon(
        options: options, listener: Descriptor(owning: DaemonOptions.listenerNumber),
        guardLink: Descriptor(owning: DaemonOptions.linkNumber))
      return try daemon.run()
    }
  }

  static func run(
    _ name: String, arguments: [String], usage: String, _ body: (DaemonOptions) -> Int32
  ) -> Int32 {
    do {
      let options = try DaemonOptions.parse(arguments, usage: usage)
      if let information = options.information { return print(information, of: name) }
      if let form = options.triedForm { return takesOver(name, from: form) }
      try options.checkInherited()
      // One that was started from /proc, since its file is gone or does not serve, is called "exe" by ps.
      Process.setName(name)
      return body(options)
    } catch {
      StandardError.say("\(name): \(error)")
      return 64
    }
  }

  static func print(_ text: String, of name: String) -> Int32 {
    do {
      try StandardStreams.write(Array((text + "\n").utf8), to: StandardStreams.output)
      return 0
    } catch {
      StandardError.say("\(name): the output cannot be written: \(error.message)")
      return 1
    }
  }

  static func attempt(_ name: String, _ body: () throws(SystemError) -> Int32) -> Int32 {
    do {
      return try body()
    } catch {
      StandardError.say("\(name): \(error)")
      return 1
    }
  }
}
