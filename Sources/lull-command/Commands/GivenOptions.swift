import LullChannel
import LullSystem
import LullWire

/// The options that say how a program lives, in the words of the command line or of the file of an installed
/// program.
struct GivenOptions {
  private(set) var list: [(option: InstalledOption, value: String?)] = []

  init() {}

  init(_ file: InstalledFile) { list = file.settings.map { ($0.option, $0.value) } }

  mutating func add(_ option: InstalledOption?, _ value: String?) {
    if let option, let value { list.append((option, value)) }
  }

  mutating func add(_ key: Key, _ value: String?) { add(InstalledOption(word: key.option), value) }

  mutating func add(_ key: Key, _ values: [String]) { for value in values { add(key, value) } }

  mutating func add(_ key: Key, _ isSet: Bool) {
    if isSet, let option = InstalledOption(word: key.option) { list.append((option, nil)) }
  }

  fileprivate func has(_ word: String) -> Bool { list.contains { $0.option.word == word } }

  fileprivate func values(of word: String) -> [String] {
    list.filter { $0.option.word == word }.compactMap(\.value)
  }
}

extension GivenOptions {
  /// The request that the options ask for. `isResolving`: a name in `--udp-keepalive-to` is looked up.
  /// Throws `usage`, whose text begins with the option that is wrong, and its value if that is wrong by
  /// itself.
  func request(name: String?, isResolving: Bool = true) throws(Failure) -> Request.Run {
    if let name, !ProgramName.isValid(name) {
      throw .usage("--name \(name): must be \(ProgramName.expected)")
    }
    var reader = OptionReader(self)
    var settings: ProgramSettings
    do throws(WireError) { settings = try ProgramSettings().visited(by: &reader) } catch {
      throw reader.failure ?? .usage("\(error)")
    }
    if let text = settings.udpKeepAliveTo {
      settings.udpKeepAliveTo = try destination(
        text, isUsed: settings.udpKeepAlive != nil, isResolving: isResolving)
    }
    settings.modes = settings.effectiveModes
    try check(settings)
    return Request.Run(name: name, settings)
  }

  private func check(_ settings: ProgramSettings) throws(Failure) {
    for word in values(of: Key.ignore.option) {
      guard let port = OptionReader.port(word), settings.wakeOn.contains(port) else { continue }
      throw .usage("--ignore \(word): --wake-on names port \(port) too; a port is either watched or ignored")
    }
    for option in [Key.silence.option, InstalledOption.deepBuffer.word] {
      guard !has(option) || settings.modes.contains(.audio) else {
        throw .usage("\(option): give --mode audio too")
      }
    }
  }

  /// The address of `HOST:PORT`, in digits: the daemon asks no name service.
  private func destination(_ text: String, isUsed: Bool, isResolving: Bool) throws(Failure) -> String? {
    let option = "\(Key.udpKeepaliveTo.option) \(text)"
    guard isUsed else { throw .usage("\(option): give --udp-keepalive SECONDS too") }
    if SocketAddress(numeric: text) != nil { return text }
    guard let colon = text.lastIndex(of: ":"),
      let port = OptionReader.port(String(text[text.index(after: colon)...])),
      colon > text.startIndex, !text[..<colon].contains(":")
    else { throw .usage("\(option): must be HOST:PORT, such as sip.example.org:5060") }
    guard isResolving else { return nil }
    do {
      return try Socket.resolve(host: String(text[..<colon]), port: port).first?.description
    } catch {
      throw .failed("\(option): \(error)")
    }
  }

  /// The entries that the environment of the program gets: those of `--env`, and the one by which Lull's ALSA
  /// plugin uses the buffer of `--deep-buffer`.
  func environment() throws(Failure) -> [String] {
    let variables = values(of: InstalledOption.environment.word)
    for variable in variables where !Self.isVariable(variable) {
      throw .usage("--env \(variable): must be NAME=VALUE, such as LANG=de_DE.UTF-8")
    }
    for variable in variables where !Self.hasName(variable) {
      throw .usage(
        "--env \(variable): its name must be letters, digits, '_', '.' and '-', and start with no digit")
    }
    let word = InstalledOption.deepBuffer.word
    guard let text = values(of: word).last else { return variables }
    let buffers = Interval.seconds(2)...Interval.seconds(Bounds.ringSeconds)
    let seconds = try OptionReader.interval(text, of: word, in: buffers).seconds
    return variables + ["LULL_DEEP_BUFFER=\(OptionReader.number(seconds))"]
  }

  private static func isVariable(_ text: String) -> Bool {
    let name = text.prefix { $0 != "=" }
    return !name.isEmpty && name.endIndex < text.endIndex
  }

  /// Shells read fewer names (POSIX, XBD 8.1) than programs use.
  private static func hasName(_ variable: String) -> Bool {
    let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
    let name = variable.utf8.prefix { $0 != UInt8(ascii: "=") }
    return name.first.map { !digits.contains($0) } ?? false
      && name.allSatisfy { byte in
        digits.contains(byte) || "_.-".utf8.contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      }
  }
}

struct OptionReader: FieldVisitor {
  /// The most ports of an option: more would not fit a text line of the protocol.
  private static let mostPorts = 256

  private let given: GivenOptions
  private(set) var failure: Failure?

  init(_ given: GivenOptions) { self.given = given }

  mutating func optional<Value>(
    _ key: Key, _ type: FieldType<Value>, value: Value?
  ) throws(WireError) -> Value? {
    guard given.has(key.option) else { return nil }
    let message: Message
    do throws(Failure) { message = try field(key, type.shape) } catch {
      failure = error
      throw .missingField(key.rawValue)
    }
    return try type.read(message, key)
  }

  private func field(_ key: Key, _ shape: FieldShape) throws(Failure) -> Message {
    let (empty, option, values) = (Message(.ok), key.option, given.values(of: key.option))
    let text = values.last ?? ""
    switch shape {
    case .flag: return empty.adding(flag: key, if: true)
    case .ports: return empty.adding(key, numbers: try Self.ports(values, option))
    case .schemes: return empty.adding(key, try Self.schemes(values, option).joined(separator: ","))
    case .words(let all): return empty.adding(key, try Self.words(text, option, of: all))
    case .seconds(let range):
      // The wire takes shorter keep-alives, for a daemon whose clock runs fast.
      let bounds = key == .keepAlive ? Bounds.keepAlives : range
      return empty.adding(key, try Self.interval(text, of: option, in: bounds))
    case .secondsOrNever(let range):
      if text == "never" { return empty.adding(key, text) }
      guard let seconds = Double(text), let interval = Self.interval(seconds, in: range) else {
        throw .usage("\(option) \(text): must be \(Self.bounds(range)), or never")
      }
      return empty.adding(key, interval)
    // The one number of the settings is that of a signal.
    case .number:
      guard let number = Signal.number(named: text) else {
        throw .usage("\(option) \(text): no such signal; \"kill -l\" lists them")
      }
      return empty.adding(key, number)
    default: return empty.adding(key, text)
    }
  }

  private static func words(_ text: String, _ option: String, of all: [String]) throws(Failure) -> String {
    let words = text.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
    for (place, word) in words.enumerated() {
      guard all.contains(word) else {
        throw .usage("\(option) \(text): each must be one of \(all.joined(separator: ", "))")
      }
      guard !words[..<place].contains(word) else {
        throw .usage("\(option) \(text): \(word) stands there twice; keep one of the two")
      }
    }
    return text
  }

  private static func schemes(_ texts: [String], _ option: String) throws(Failure) -> [String] {
    var schemes: [String] = []
    for text in texts {
      guard LinkURL.isScheme(text) else {
        throw .usage("\(option) \(text): must be \(LinkURL.expectedScheme)")
      }
      if !schemes.contains(text) { schemes.append(text) }
    }
    guard schemes.count <= Limits.maximumSchemes else {
      throw .usage("\(option): at most \(Limits.maximumSchemes) of them")
    }
    return schemes
  }

  private static func ports(_ words: [String], _ option: String) throws(Failure) -> [UInt16] {
    var ports: [UInt16] = []
    for word in words {
      guard let port = port(word) else {
        throw .usage(
          "\(option) \(word): no such port; give a number from 1 to 65535 or a service name such as sip")
      }
      if !ports.contains(port) { ports.append(port) }
    }
    guard ports.count <= mostPorts else { throw .usage("\(option): at most \(mostPorts) ports can be given") }
    return ports
  }

  static func port(_ word: String) -> UInt16? {
    let isNumber = word.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isNumber else { return Services.port(named: word) }
    return UInt16(word).flatMap { $0 > 0 ? $0 : nil }
  }

  // MARK: Seconds

  static func interval(
    _ text: String, of option: String, in range: ClosedRange<Interval>
  ) throws(Failure) -> Interval {
    guard let seconds = Double(text) else { throw .usage("\(option) \(text): must be a number of seconds") }
    if let interval = interval(seconds, in: range) { return interval }
    throw .usage("\(option) \(number(seconds)): must be \(bounds(range))")
  }

  private static func interval(_ seconds: Double, in range: ClosedRange<Interval>) -> Interval? {
    guard (range.lowerBound.seconds...range.upperBound.seconds).contains(seconds) else { return nil }
    return Interval(nanoseconds: Int64(seconds * 1e9))
  }

  /// For example `5 to 86400 s`; the longest time, 100 years, is not worth a word.
  private static func bounds(_ range: ClosedRange<Interval>) -> String {
    let lowest = number(range.lowerBound.seconds)
    return range.upperBound == Bounds.longest
      ? "\(lowest) s or more" : "\(lowest) to \(number(range.upperBound.seconds)) s"
  }

  static func number(_ seconds: Double) -> String {
    Int64(exactly: seconds).map { String($0) } ?? String(seconds)
  }
}
