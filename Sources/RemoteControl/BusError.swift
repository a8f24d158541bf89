internal import LullSystem

/// A refusal of the bus, in one text line.
public struct BusError: Error, Equatable, CustomStringConvertible {
  /// The text line.
  public let description: String

  init(_ description: String) {
    self.description = description
  }

  /// An error from a negative error number of sd-bus.
  init(_ call: String, _ result: Int32) {
    description = "\(SystemError(code: -result, call: call))"
  }
}
