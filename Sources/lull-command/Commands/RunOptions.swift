import LullSystem
import LullWire

/// The checks of `run`'s options.
enum RunOptions {
  private static let shortestKeepAlive = 600.0
  /// About 68 years; more is a slip of the finger and might not fit the protocol.
  private static let longest = Double(Int32.max)

  static func modes(_ text: String?) throws(Failure) -> [Request.Mode] {
    guard let text else { return [] }
    var modes: [Request.Mode] = []
    for word in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let mode = Request.Mode(rawValue: String(word)) else {
        let all = Request.Mode.allCases.map(\.rawValue).joined(separator: ", ")
        throw .usage("--mode \(text): each mode must be one of \(all)")
      }
      if !modes.contains(mode) { modes.append(mode) }
    }
    return modes
  }

  static func keepAlive(_ seconds: Double?) throws(Failure) -> Int64? {
    guard let seconds else { return nil }
    guard seconds >= shortestKeepAlive, seconds <= longest else {
      throw .usage("--keep-alive \(number(seconds)): must be 600 s or more")
    }
    return Int64(seconds * 1e9)
  }

  static func batchWakes(_ seconds: Double?) throws(Failure) -> Int64? {
    guard let seconds else { return nil }
    guard seconds > 0, seconds <= longest else {
      throw .usage("--batch-wakes \(number(seconds)): must be more than 0 s")
    }
    return Int64(seconds * 1e9)
  }

  /// The interval of keep-alive probes; below 5 s they would cost more than the sleep saves.
  static func probe(
    _ seconds: Double?, _ option: String, longest: Double = 86_400
  ) throws(Failure) -> Int64? {
    try duration(seconds, option, 5...longest)
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

  /// The entry of the environment that lets Lull's ALSA plugin use so long a buffer.
  static func deepBuffer(_ seconds: Double?) throws(Failure) -> [String] {
    guard let seconds else { return [] }
    _ = try duration(seconds, "--deep-buffer", 2...Double(Limits.ringSeconds))
    return ["LULL_DEEP_BUFFER=\(number(seconds))"]
  }

  static func linger(_ seconds: Double?) throws(Failure) -> Int64? {
    try duration(seconds, "--linger", 1...3600)
  }

  static func silence(_ seconds: Double?) throws(Failure) -> Int64? {
    try duration(seconds, "--silence", 0...3600)
  }

  static func timers(_ text: String?) throws(Failure) -> Request.Timers? {
    guard let text else { return nil }
    guard text != "never" else { return .never }
    let shortest = Double(Limits.shortestTimerFloor) / 1e9
    guard let seconds = Double(text), seconds >= shortest, seconds <= longest else {
      throw .usage("--timers \(text): must be \(number(shortest)) s or more, or never")
    }
    return .floor(nanoseconds: Int64(seconds * 1e9))
  }

  private static func duration(
    _ seconds: Double?, _ option: String, _ range: ClosedRange<Double>
  ) throws(Failure) -> Int64? {
    guard let seconds else { return nil }
    guard range.contains(seconds) else {
      throw .usage(
        "\(option) \(number(seconds)): must be from \(number(range.lowerBound)) "
          + "to \(number(range.upperBound)) s")
    }
    return Int64(seconds * 1e9)
  }

  private static func number(_ seconds: Double) -> String {
    Int64(exactly: seconds).map { String($0) } ?? String(seconds)
  }
}
