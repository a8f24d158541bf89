package import LullGuard
import LullSystem

extension Startup {
  private static let daemonUsage = """
    usage: lulld [--no-boot] [--clock-rate R]
    The daemon of Lull: freezes background programs and wakes them for their calls.
    Started by hand it is its own guard, which starts the daemon again should it
    die; SIGTERM ends both, with every program thawed.
      --no-boot        start nothing that is installed
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
    options.openFileLimit = log.ignoring([], try ResourceLimits.openFiles())
    options.limitClients(openFiles: log.ignoring([], try ResourceLimits.raiseOpenFiles()) ?? 1024)
    Alarm.set(seconds: DaemonOptions.longestTurn)
    return attempt("lulld") { () throws(SystemError) in
      // After SIGKILL the guard must see the end, and others get the lock, before all else is closed.
      let link = Descriptor(owning: DaemonOptions.linkNumber).closedEarly()
      options.closeLockEarly()
      let daemon = try Daemon(
        options: options, listener: Descriptor(owning: DaemonOptions.listenerNumber), guardLink: link)
      return try daemon.run()
    }
  }
}
