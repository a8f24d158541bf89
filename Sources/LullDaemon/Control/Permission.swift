import LullWire

extension Request {
  /// True when a process of the program `name` may ask this (docs/PROTOCOL.md, "Who may ask what"). A process
  /// outside every program may ask everything.
  func mayBeAsked(byProgram name: String) -> Bool {
    switch self {
    case .status(let other, _), .lines(let other, _), .background(let other), .foreground(let other):
      other == nil || other == name
    case .why(let other), .suspend(let other), .quit(let other, _, _, _): other == name
    case .wake(let other): other == name || name == TransferLink.service
    case .open(let url, _): name == TransferLink.service && LinkURL.scheme(of: url) == TransferLink.scheme
    case .audioRoute(let route): route.name == name
    case .adopt, .letGo, .alarm, .log, .purge, .notifications, .answer, .quiet, .recording, .lock, .unlock,
      .installed, .run, .kept, .started, .ended, .attach, .signal, .command, .stopDaemon, .upgrade:
      false
    // A client of a push service hands what comes to the program for which it is.
    case .hello, .push, .register, .did, .done, .handling, .hold, .release, .lineState, .keepalive, .fetch,
      .fetched, .wakeIn, .beginTask, .endTask, .remaining, .present, .schedule, .cancel, .scheduled,
      .handover, .ready, .bye,
      .ring, .doorbell,
      .session, .endSession, .doctor:
      true
    }
  }
}
