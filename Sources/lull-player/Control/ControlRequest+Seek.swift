import LullPlayer

extension ControlRequest.Seek {
  /// `90`, `1:30`, `+10`, `-0:10`; nil for anything else.
  init?(text: String) {
    guard let first = text.first else { return nil }
    let isRelative = first == "+" || first == "-"
    guard let seconds = ClockText.seconds(isRelative ? text.dropFirst() : text[...]) else { return nil }
    self = isRelative ? .by(first == "-" ? -seconds : seconds) : .to(seconds)
  }
}
