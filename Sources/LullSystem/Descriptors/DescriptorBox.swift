/// A descriptor that can stand in an array, a dictionary or an enum, which a noncopyable value cannot.
package final class DescriptorBox {
  /// Valid while `isOpen`.
  package let raw: Int32
  private var descriptor: Descriptor?
  /// Without a closer the descriptor is closed here and now.
  package var closer: Closer?

  /// A descriptor that came from another process needs a closer.
  package init(_ descriptor: consuming Descriptor, closer: Closer? = nil) {
    raw = descriptor.raw
    self.descriptor = consume descriptor
    self.closer = closer
  }

  deinit { close() }

  package var isOpen: Bool {
    switch descriptor {
    case .some: true
    case .none: false
    }
  }

  package func close() {
    guard let closer else {
      descriptor = nil
      return
    }
    if let descriptor = descriptor.take() { closer.close(descriptor) }
  }

  package func take() -> Descriptor? {
    descriptor.take()
  }
}
