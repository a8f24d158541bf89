/// What a worker has found, until another thread takes it.
package final class Findings<Value: Sendable>: Sendable {
  private let values = Monitor<[Value]>([])
  private let counter: EventDescriptor

  /// EMFILE: no descriptor is left.
  package init() throws(SystemError) { counter = try EventDescriptor() }

  /// A descriptor that is readable when there is something.
  package var news: Int32 { counter.raw }

  package func add(_ value: Value) {
    values.change { $0.append(value) }
    try? counter.signal()
  }

  /// The oldest comes first.
  package func take() -> [Value] {
    _ = try? counter.drain()
    return values.change { values in
      defer { values = [] }
      return values
    }
  }
}
