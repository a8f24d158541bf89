internal import LullSystem

/// What the bus refused, in one line.
public struct BusError: Error, Equatable, CustomStringConvertible {
  /// The line.
  public let description: String

  init(_ description: String) {
    self.description = description
  }

  /// A negative error number of sd-bus.
  init(_ call: String, _ result: Int32) {
    description = "\(SystemError(code: -result, call: call))"
  }
}
