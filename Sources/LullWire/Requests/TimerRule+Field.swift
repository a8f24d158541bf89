extension FieldType<TimerRule> {
  private static var never: String { "never" }

  /// Seconds within ``Bounds/timerFloors``, or `never`; a missing field is the automatic rule.
  static var timers: Self {
    let range = Bounds.timerFloors
    return .init(.secondsOrNever(range)) { (message, key) throws(WireError) in
      guard let text = message[key] else { return nil }
      guard text != never else { return .never }
      guard let floor = Seconds.interval(text), range.contains(floor) else {
        throw .badValue(key: key.rawValue, value: text, expected: "\(Seconds.range(range)), or \(never)")
      }
      return .floor(floor)
    } write: { message, key, value in
      switch value {
      case .automatic: message
      case .floor(let floor): message.adding(key, floor)
      case .never: message.adding(key, never)
      }
    }
  }
}
