import LullSystem
import Testing

/// The bound of every wait in milliseconds: long enough for a loaded machine, never reached when all goes
/// well.
let patience: Int32 = 20_000

/// How soon in milliseconds a quiet program sleeps again: the promise itself, so a test may fail by it.
let promptly: Int32 = 2_000

/// A wait that came to its bound.
struct NothingCame: Error, CustomStringConvertible {
  let description: String
}

/// A bound of time for a wait made of several polls.
struct Deadline {
  let milliseconds: Int32
  private let end: Int64

  init(milliseconds: Int32 = patience) {
    self.milliseconds = milliseconds
    end = Clock.boottime() + Int64(milliseconds) * 1_000_000
  }

  /// Milliseconds that are left; at least 0.
  var left: Int32 { Int32(clamping: max(0, (end - Clock.boottime()) / 1_000_000)) }

  var isOver: Bool { left == 0 }

  /// Waits for readiness; throws when none comes.
  func wait(_ raw: Int32, _ interest: Interest, for what: @autoclosure () -> String) throws {
    guard try Socket.poll(raw, interest, timeoutMilliseconds: left).isEmpty else { return }
    throw NothingCame(description: "waited \(milliseconds) ms in vain for \(what())")
  }
}

extension Tag {
  /// Processes are killed in the middle of what they do.
  @Tag static var faults: Self
  /// Input that must be refused.
  @Tag static var badInput: Self
}
