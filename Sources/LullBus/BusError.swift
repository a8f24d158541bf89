package import LullSystem

/// A refusal of the bus, in one text line.
public struct BusError: Error, Equatable, CustomStringConvertible {
  /// The text line.
  public let description: String
  /// The error of the kernel or of sd-bus behind it; nil: there is none.
  package let cause: SystemError?

  package init(_ description: String) {
    (self.description, cause) = (description, nil)
  }

  /// An error from a negative error number of sd-bus.
  package init(_ call: String, _ result: Int32) {
    let cause = SystemError(code: -result, call: call)
    (description, self.cause) = ("\(cause)", cause)
  }
}

extension BusError {
  package var isWithoutAddress: Bool { cause?.isNoMedium == true }
}
