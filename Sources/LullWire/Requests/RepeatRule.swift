extension FieldType<RepeatRule> {
  static var repeatRule: Self {
    let range = Bounds.durations
    let words = CalendarUnit.allCases.map(\.rawValue)
    return .init(.secondsOrWord(range, words)) { (message, key) throws(WireError) in
      guard let text = message[key] else { return nil }
      if let unit = CalendarUnit(rawValue: text) { return .calendar(unit) }
      guard let interval = Seconds.interval(text), range.contains(interval) else {
        let expected = "\(Seconds.range(range)), or \(words.joined(separator: ", "))"
        throw .badValue(key: key.rawValue, value: text, expected: expected)
      }
      return .every(interval)
    } write: { message, key, value in
      switch value {
      case .every(let interval): message.adding(key, interval)
      case .calendar(let unit): message.adding(key, unit.rawValue)
      }
    }
  }
}
