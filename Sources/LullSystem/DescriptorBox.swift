/// A descriptor that can stand in an array, a dictionary or an enum, which a noncopyable value cannot.
public final class DescriptorBox {
  /// The number; valid while `isOpen`.
  public let raw: Int32
  private var descriptor: Descriptor?
  /// Closes it; nil closes it here and now.
  public var closer: Closer?

  /// Takes over a descriptor. One that came from another process needs a closer.
  public init(_ descriptor: consuming Descriptor, closer: Closer? = nil) {
    raw = descriptor.raw
    self.descriptor = consume descriptor
    self.closer = closer
  }

  deinit { close() }

  /// Whether the descriptor is still here: neither closed nor taken.
  public var isOpen: Bool {
    switch descriptor {
    case .some: true
    case .none: false
    }
  }

  /// Closes the descriptor now; does nothing the second time.
  public func close() {
    guard let closer else {
      descriptor = nil
      return
    }
    if let descriptor = descriptor.take() { closer.close(descriptor) }
  }

  /// Takes the descriptor out, or nil when it was closed or taken before.
  public func take() -> Descriptor? {
    descriptor.take()
  }
}
