/// A descriptor that can stand in an array, a dictionary or an enum, which a noncopyable value cannot.
public final class DescriptorBox {
  /// The number; valid while `isOpen`.
  public let raw: Int32
  private var descriptor: Descriptor?

  /// Takes over a descriptor.
  public init(_ descriptor: consuming Descriptor) {
    raw = descriptor.raw
    self.descriptor = consume descriptor
  }

  /// Whether the descriptor is still here: neither closed nor taken.
  public var isOpen: Bool {
    switch descriptor {
    case .some: true
    case .none: false
    }
  }

  /// Closes the descriptor now; does nothing the second time.
  public func close() {
    descriptor = nil
  }

  /// Takes the descriptor out, or nil when it was closed or taken before.
  public func take() -> Descriptor? {
    descriptor.take()
  }
}
