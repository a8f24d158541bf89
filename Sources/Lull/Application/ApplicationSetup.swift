internal import LullChannel
internal import LullEngine
internal import LullSystem

/// The application's supervisor and clocks; the tests bring their own.
struct ApplicationSetup {
  var controlSocket = RuntimeDirectory.controlSocket()
  /// The user whose daemon is trusted; in /run/lull, root's is trusted, too.
  var user = Identity.uid()
  /// Returns when the daemon accepts connections; nil for a client that starts none.
  var startDaemon: (() throws(DaemonLaunchError) -> Void)? = { () throws(DaemonLaunchError) in
    try DaemonLauncher.start()
  }
  var patience = Interval.seconds(5)
  /// For an embedded engine.
  var policy = Policy()
  /// CLOCK_BOOTTIME.
  var clock: () -> Moment = { Moment(nanoseconds: LullSystem.Clock.boottime()) }
  /// CLOCK_REALTIME in nanoseconds.
  var wallClock: () -> Int64 = LullSystem.Clock.realtime

  /// A program that supervises itself has to wake a sleeping machine for its keep-alive; under a daemon its
  /// timers must not.
  func link(for registration: Registration, host: Host, sleeper: Sleeper) throws(LullError) -> (
    any Link, EventLoop
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

  private func daemon(_ registration: Registration) throws(LullError) -> (any Link, EventLoop) {
    let loop = try EventLoop(wakesMachine: false)
    do {
      return (try connect(registration, loop), loop)
    } catch .daemonUnavailable(let reason) {
      guard let startDaemon else { throw .daemonUnavailable(reason) }
      do throws(DaemonLaunchError) {
        try startDaemon()
      } catch {
        throw .daemonUnavailable(error.description)
      }
      return (try connect(registration, loop), loop)
    }
  }

  private func connect(_ registration: Registration, _ loop: EventLoop) throws(LullError) -> DaemonLink {
    try DaemonLink(
      path: controlSocket, user: user, patience: patience, registration: registration, loop: loop)
  }

  private func embedded(
    _ registration: Registration, _ sleeper: Sleeper
  ) throws(LullError) -> (any Link, EventLoop) {
    let link = try EmbeddedLink(
      policy: policy, registration: registration, now: clock, wallClock: wallClock,
      suspensionChanged: { sleeper.application?.suspensionChanged($0) })
    return (link, try EventLoop(wakesMachine: true))
  }
}
