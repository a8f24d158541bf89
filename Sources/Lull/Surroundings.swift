internal import LullEngine
internal import LullSystem

/// Where the application finds its supervisor and its clock; the tests bring their own.
struct Surroundings {
  /// The daemon's control socket.
  var controlSocket = RuntimeDirectory.controlSocket()
  /// The user whose daemon it may be.
  var user = Identity.uid()
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

  /// A program that supervises itself has to wake a sleeping machine for its keep-alive; under a daemon its timers
  /// must not.
  func link(for registration: Registration, host: Host, sleeper: Sleeper) throws(LullError) -> (
    any Link, Reactor
  ) {
    switch host {
    case .embedded: return try embedded(registration, sleeper)
    case .daemon: return try daemon(registration)
    case .automatic:
      do {
        return try daemon(registration)
      } catch .daemonUnavailable {
        return try embedded(registration, sleeper)
      }
    }
  }

  private func daemon(_ registration: Registration) throws(LullError) -> (any Link, Reactor) {
    let reactor = try Reactor(wakesMachine: false)
    do {
      return (try connect(registration, reactor), reactor)
    } catch .daemonUnavailable {
      do throws(DaemonLaunchError) {
        try startDaemon()
      } catch {
        throw .daemonUnavailable(error.description)
      }
      return (try connect(registration, reactor), reactor)
    }
  }

  private func connect(_ registration: Registration, _ reactor: Reactor) throws(LullError) -> DaemonLink {
    try DaemonLink(
      path: controlSocket, user: user, patience: patience, registration: registration, reactor: reactor)
  }

  private func embedded(
    _ registration: Registration, _ sleeper: Sleeper
  ) throws(LullError) -> (any Link, Reactor) {
    let link = try EmbeddedLink(
      policy: policy, registration: registration, now: clock, wallClock: wallClock,
      suspensionChanged: { sleeper.application?.suspensionChanged($0) })
    return (link, try Reactor(wakesMachine: true))
  }
}
