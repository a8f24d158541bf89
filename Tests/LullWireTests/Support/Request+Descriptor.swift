import LullWire

extension Request {
  var expectsDescriptor: Bool {
    switch self {
    case .hold, .handover, .lineState, .command, .started, .ring, .doorbell, .push, .adopt: true
    default: false
    }
  }
}
