package import LullSystem

/// A wait that came to its bound.
package struct NothingCame: Error, CustomStringConvertible {
  package let description: String

  package init(description: String) { self.description = description }
}

/// A bound of time for a wait made of several polls.
package struct Deadline {
  package let milliseconds: Int32
  private let end: Int64

  package init(milliseconds: Int32 = patience) {
    self.milliseconds = milliseconds
    end = Clock.boottime() + Int64(milliseconds) * 1_000_000
  }

  /// Milliseconds that are left; at least 0.
  package var left: Int32 { Int32(clamping: max(0, (end - Clock.boottime()) / 1_000_000)) }

  package var isOver: Bool { left == 0 }

  /// Waits for readiness; throws when none comes.
  package func wait(_ raw: Int32, _ interest: Interest, for what: @autoclosure () -> String) throws {
    guard try Socket.poll(raw, interest, timeoutMilliseconds: left).isEmpty else { return }
    throw NothingCame(description: "waited \(milliseconds) ms in vain for \(what())")
  }
}
