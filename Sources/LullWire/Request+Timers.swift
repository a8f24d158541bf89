extension Request {
  /// How often a command is woken because one of its own timers is due.
  public enum Timers: Equatable, Sendable {
    /// At most once in so much time; ``Limits/shortestTimerFloor`` or more.
    case floor(nanoseconds: Int64)
    /// Not at all: its timers run at its other wakes.
    case never
  }
}

extension Message {
  private static let never = "never"

  /// Adds seconds or `never`; nil adds nothing.
  public func adding(_ key: Key, _ timers: Request.Timers?) -> Message {
    switch timers {
    case .floor(let nanoseconds): adding(key, nanoseconds: nanoseconds)
    case .never: adding(key, Self.never)
    case nil: self
    }
  }

  /// Seconds or `never`, or nil.
  func timers(ifPresent key: Key) throws(WireError) -> Request.Timers? {
    guard let text = self[key] else { return nil }
    guard text != Self.never else { return .never }
    let range = Limits.shortestTimerFloor...Limits.longest
    guard let floor = Seconds.nanoseconds(text), range.contains(floor) else {
      throw .badValue(key: key.rawValue, value: text, expected: "seconds from 5 to 3153600000, or never")
    }
    return .floor(nanoseconds: floor)
  }
}
