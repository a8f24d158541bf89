import LullSystem

/// The signals that `lull run` notices, blocked and read from a descriptor: those that end a process, those
/// of a terminal's jobs, and the news of its child. What was ignored at its start stays ignored, for it and
/// for the command.
struct ForwardedSignals: ~Copyable {
  private static var all: [Int32] {
    Signal.ending + [
      Signal.windowChange, Signal.terminalStop, Signal.terminalInput, Signal.terminalOutput, Signal.continue,
    ]
  }

  /// The signals that were blocked before.
  let before: SignalMask
  private let descriptor: SignalDescriptor

  init() throws(Failure) {
    let before = try Self.checked { () throws(SystemError) in try SignalMask.current() }
    self.init(before: before, try Self.block())
  }

  private init(before: SignalMask, _ descriptor: consuming SignalDescriptor) {
    self.before = before
    self.descriptor = descriptor
  }

  private static func block() throws(Failure) -> SignalDescriptor {
    // A child that was killed before its gate opened does not read from it.
    try checked { () throws(SystemError) in try Signal.block([Signal.pipe]) }
    do {
      return try SignalDescriptor(blocking: all.filter { !Signal.isIgnored($0) } + [Signal.child])
    } catch {
      throw .failed("cannot take signals: \(error)")
    }
  }

  private static func checked<Value>(_ call: () throws(SystemError) -> Value) throws(Failure) -> Value {
    do {
      return try call()
    } catch {
      throw .failed("cannot take signals: \(error)")
    }
  }

  var raw: Int32 { descriptor.raw }

  func next() throws(Failure) -> SignalArrival? {
    do {
      return try descriptor.nextArrival()
    } catch {
      throw .failed("cannot read signals: \(error)")
    }
  }
}
