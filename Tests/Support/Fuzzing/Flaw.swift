/// A flaw that some bytes brought to light: a property that does not hold for them.
public struct Flaw: Error, Equatable {
  /// The property that does not hold.
  public let what: String

  /// A flaw.
  public init(_ what: String) { self.what = what }
}

/// Throws a flaw unless a property holds.
public func hold(_ holds: Bool, _ what: @autoclosure () -> String) throws(Flaw) {
  guard holds else { throw Flaw(what()) }
}

/// Runs a fuzzer with the bytes that libFuzzer hands over: a flaw ends the process, so that libFuzzer keeps
/// the bytes.
public func evaluate(
  _ start: UnsafePointer<UInt8>?, _ count: Int, _ body: ([UInt8]) throws(Flaw) -> Void
) -> Int32 {
  let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
  do throws(Flaw) {
    try body(bytes)
  } catch {
    fatalError("Flaw: \(error.what)")
  }
  return 0
}
