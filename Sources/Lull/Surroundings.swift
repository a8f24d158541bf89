internal import LullEngine
internal import LullSystem

/// Where the application finds its supervisor and its clock; the tests bring their own.
struct Surroundings {
  /// The daemon's control socket.
  var controlSocket = RuntimeDirectory.controlSocket()
  /// Starts a daemon and returns when it accepts connections.
  var startDaemon: () throws(DaemonLaunchError) -> Void = { () throws(DaemonLaunchError) in
    try DaemonLauncher.start()
  }
  /// How long the daemon may take to answer.
  var patience = Interval.seconds(5)
  /// The numbers of an embedded engine.
  var policy = Policy()
  /// CLOCK_BOOTTIME.
  var clock: () -> Moment = { Moment(nanoseconds: LullSystem.Clock.boottime()) }
  /// CLOCK_REALTIME in nanoseconds.
  var wallClock: () -> Int64 = LullSystem.Clock.realtime

  func link(
    for registration: Registration, host: Host, reactor: Reactor, sleeper: Sleeper
  ) throws(LullError) -> any Link {
    switch host {
    case .embedded: return try embedded(registration, sleeper)
    case .daemon: return try daemon(registration, reactor)
    case .automatic:
      do {
        return try daemon(registration, reactor)
      } catch .daemonUnavailable {
        return try embedded(registration, sleeper)
      }
    }
  }

  private func daemon(_ registration: Registration, _ reactor: Reactor) throws(LullError) -> any Link {
    do {
      return try DaemonLink(
        path: controlSocket, patience: patience, registration: registration, reactor: reactor)
    } catch .daemonUnavailable {
      do throws(DaemonLaunchError) {
        try startDaemon()
      } catch {
        throw .daemonUnavailable(error.description)
      }
      return try DaemonLink(
        path: controlSocket, patience: patience, registration: registration, reactor: reactor)
    }
  }

  private func embedded(_ registration: Registration, _ sleeper: Sleeper) throws(LullError) -> any Link {
    try EmbeddedLink(
      policy: policy, registration: registration, now: clock, wallClock: wallClock,
      suspensionChanged: { sleeper.application?.suspensionChanged($0) })
  }
}
