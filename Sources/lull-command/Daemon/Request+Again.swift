import LullWire

extension Request {
  /// True for a request that does no more when it is made twice, and begins nothing that only its own
  /// connection and daemon have.
  var mayBeAskedAgain: Bool {
    switch self {
    case .signal, .answer, .quit, .purge, .stopDaemon, .upgrade: false
    case .command, .run, .kept, .started, .ended, .attach: false
    case .log(let follow, _, _, _, _), .notifications(let follow): !follow
    default: true
    }
  }
}
