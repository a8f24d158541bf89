import LullSystem
import LullWire

/// The checks of `run`'s options.
enum RunOptions {
  private static let shortestKeepAlive = Bounds.shortestKeepAlive.seconds
  /// The longest time, about 68 years: a longer one is a mistake and might not fit the protocol.
  private static let longest = Double(Int32.max)

  static func modes(_ text: String?) throws(Failure) -> Modes {
    guard let text else { return [] }
    var modes: Modes = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let mode = Modes(word: String(word)) else {
        let all = Modes.words.joined(separator: ", ")
        throw .usage("--mode \(text): each mode must be one of \(all)")
      }
      modes.formUnion(mode)
    }
    return modes
  }

  static func keepAlive(_ seconds: Double?) throws(Failure) -> Interval? {
    guard let seconds else { return nil }
    guard seconds >= shortestKeepAlive, seconds <= longest else {
      throw .usage("--keep-alive \(number(seconds)): must be \(number(shortestKeepAlive)) s or more")
    }
    return interval(seconds)
  }

  static func batchWakes(_ seconds: Double?) throws(Failure) -> Interval? {
    guard let seconds else { return nil }
    guard seconds > 0, seconds <= longest else {
      throw .usage("--batch-wakes \(number(seconds)): must be more than 0 s")
    }
    return interval(seconds)
  }

  /// The interval of keep-alive probes; below 5 s they would cost more than the sleep saves.
  static func probe(
    _ seconds: Double?, _ option: String, longest: Double = 86_400
  ) throws(Failure) -> Interval? {
    try duration(seconds, option: option, in: 5...longest)
  }

  /// The address of `HOST:PORT`, in digits: the daemon asks no name service.
  static func destination(_ text: String?, isUsed: Bool) throws(Failure) -> String? {
    guard let text else { return nil }
    let option = "--udp-keepalive-to \(text)"
    guard isUsed else { throw .usage("\(option): give --udp-keepalive SECONDS too") }
    if SocketAddress(numeric: text) != nil { return text }
    guard let colon = text.lastIndex(of: ":"),
      let port = RunPorts.port(String(text[text.index(after: colon)...])),
      colon > text.startIndex, !text[..<colon].contains(":")
    else { throw .usage("\(option): must be HOST:PORT, such as sip.example.org:5060") }
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

  static func timers(_ text: String?) throws(Failure) -> TimerRule {
    guard let text else { return .automatic }
    guard text != "never" else { return .never }
    let shortest = Bounds.timerFloors.lowerBound.seconds
    guard let seconds = Double(text), seconds >= shortest, seconds <= longest else {
      throw .usage("--timers \(text): must be \(number(shortest)) s or more, or never")
    }
    return .floor(interval(seconds))
  }

  private static func duration(
    _ seconds: Double?, option: String, in range: ClosedRange<Double>
  ) throws(Failure) -> Interval? {
    guard let seconds else { return nil }
    guard range.contains(seconds) else {
      throw .usage(
        "\(option) \(number(seconds)): must be from \(number(range.lowerBound)) "
          + "to \(number(range.upperBound)) s")
    }
    return interval(seconds)
  }

  private static func interval(_ seconds: Double) -> Interval { Interval(nanoseconds: Int64(seconds * 1e9)) }

  private static func range(_ bounds: ClosedRange<Interval>) -> ClosedRange<Double> {
    bounds.lowerBound.seconds...bounds.upperBound.seconds
  }

  private static func number(_ seconds: Double) -> String {
    Int64(exactly: seconds).map { String($0) } ?? String(seconds)
  }
}
