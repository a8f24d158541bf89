import LullSystem
import LullWire

/// The checks of `run`'s options.
enum RunOptions {
  static func modes(_ text: String?) throws(Failure) -> Modes {
    guard let text else { return [] }
    var modes: Modes = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let mode = Modes(word: String(word)) else {
        let all = Modes.words.joined(separator: ", ")
        throw .usage("--mode \(text): each mode must be one of \(all)")
      }
      guard modes.isDisjoint(with: mode) else {
        throw .usage("--mode \(text): \(word) stands there twice; keep one of the two")
      }
      modes.formUnion(mode)
    }
    return modes
  }

  static func keepAlive(_ seconds: Double?) throws(Failure) -> Interval? {
    try duration(seconds, option: "--keep-alive", in: range(Bounds.keepAlives))
  }

  static func batchWakes(_ seconds: Double?) throws(Failure) -> Interval? {
    try duration(seconds, option: "--batch-wakes", in: range(Bounds.wakeBatches))
  }

  static func tcpKeepAlive(_ seconds: Double?) throws(Failure) -> Interval? {
    try duration(seconds, option: "--tcp-keepalive", in: range(Bounds.tcpKeepAlives))
  }

  static func udpKeepAlive(_ seconds: Double?) throws(Failure) -> Interval? {
    try duration(seconds, option: "--udp-keepalive", in: range(Bounds.udpKeepAlives))
  }

  /// The address of `HOST:PORT`, in digits: the daemon asks no name service.
  static func destination(
    _ text: String?, isUsed: Bool, isResolving: Bool = true
  ) throws(Failure) -> String? {
    guard let text else { return nil }
    let option = "--udp-keepalive-to \(text)"
    guard isUsed else { throw .usage("\(option): give --udp-keepalive SECONDS too") }
    if SocketAddress(numeric: text) != nil { return text }
    guard let colon = text.lastIndex(of: ":"),
      let port = RunPorts.port(String(text[text.index(after: colon)...])),
      colon > text.startIndex, !text[..<colon].contains(":")
    else { throw .usage("\(option): must be HOST:PORT, such as sip.example.org:5060") }
    guard isResolving else { return nil }
    do {
      guard let address = try Socket.resolve(host: String(text[..<colon]), port: port).first else {
        return nil
      }
      return address.description
    } catch {
      throw .failed("\(option): \(error)")
    }
  }

  /// The environment variable that lets Lull's ALSA plugin use a buffer of so many seconds.
  static func deepBuffer(_ seconds: Double?) throws(Failure) -> [String] {
    guard let seconds else { return [] }
    _ = try duration(seconds, option: "--deep-buffer", in: 2...Double(Bounds.ringSeconds))
    return ["LULL_DEEP_BUFFER=\(number(seconds))"]
  }

  static func linger(_ seconds: Double?) throws(Failure) -> Interval? {
    try duration(seconds, option: "--linger", in: range(Bounds.lingers))
  }

  static func silence(_ seconds: Double?) throws(Failure) -> Interval? {
    try duration(seconds, option: "--silence", in: range(Bounds.silences))
  }

  static func schemes(_ texts: [String]) throws(Failure) -> [String] {
    var schemes: [String] = []
    for text in texts {
      guard LinkURL.isScheme(text) else {
        throw .usage("--scheme \(text): must be \(LinkURL.expectedScheme)")
      }
      if !schemes.contains(text) { schemes.append(text) }
    }
    guard schemes.count <= Limits.maximumSchemes else {
      throw .usage("--scheme: at most \(Limits.maximumSchemes) of them")
    }
    return schemes
  }

  static func signal(_ text: String?) throws(Failure) -> Int32? {
    guard let text else { return nil }
    if let number = Signal.number(named: text) { return number }
    throw .usage("--memory-signal \(text): no such signal; \"kill -l\" lists them")
  }

  static func timers(_ text: String?) throws(Failure) -> TimerRule {
    guard let text else { return .automatic }
    guard text != "never" else { return .never }
    let floors = range(Bounds.timerFloors)
    guard let seconds = Double(text), floors.contains(seconds) else {
      throw .usage("--timers \(text): must be \(bounds(floors)), or never")
    }
    return .floor(interval(seconds))
  }

  static func seconds(_ text: String, option: String) throws(Failure) -> Double {
    if let seconds = Double(text) { return seconds }
    throw .usage("\(option) \(text): must be a number of seconds")
  }

  private static func duration(
    _ seconds: Double?, option: String, in range: ClosedRange<Double>
  ) throws(Failure) -> Interval? {
    guard let seconds else { return nil }
    guard range.contains(seconds) else {
      throw .usage("\(option) \(number(seconds)): must be \(bounds(range))")
    }
    return interval(seconds)
  }

  /// For example `5 to 86400 s`; the longest time, 100 years, is not worth a word.
  private static func bounds(_ range: ClosedRange<Double>) -> String {
    range.upperBound == Bounds.longest.seconds
      ? "\(number(range.lowerBound)) s or more"
      : "\(number(range.lowerBound)) to \(number(range.upperBound)) s"
  }

  private static func interval(_ seconds: Double) -> Interval { Interval(nanoseconds: Int64(seconds * 1e9)) }

  private static func range(_ bounds: ClosedRange<Interval>) -> ClosedRange<Double> {
    bounds.lowerBound.seconds...bounds.upperBound.seconds
  }

  static func number(_ seconds: Double) -> String {
    Int64(exactly: seconds).map { String($0) } ?? String(seconds)
  }
}
