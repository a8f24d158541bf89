import LullWire

extension Request {
  /// True when a descriptor travels with the text line of this request.
  var expectsDescriptor: Bool {
    switch self {
    case .hold, .handover, .lineState, .command, .started, .ring, .doorbell: true
    default: false
    }
  }
}
