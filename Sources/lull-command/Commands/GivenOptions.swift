import ArgumentParser
import LullChannel
import LullSystem
import LullWire

/// The options that say how a program lives, in the words of the command line or of the file of an installed
/// program.
struct GivenOptions {
  struct OptionError {
    /// The index of the option in the list.
    let place: Int
    let failure: Failure
    /// True where the value is not wrong by itself: it may be right when another error is mended.
    var mayFollow = false
  }

  private(set) var list: [(option: InstalledOption, value: String?)] = []

  init() {}

  init(_ file: InstalledFile) { list = file.settings.map { ($0.option, $0.value) } }

  mutating func add(_ option: InstalledOption?, _ value: String?) {
    if let option, let value { list.append((option, value)) }
  }

  mutating func add(_ option: InstalledOption?, _ isSet: Bool) {
    if isSet, let option { list.append((option, nil)) }
  }

  mutating func add(_ key: Key, _ value: String?) { add(InstalledOption(word: key.option), value) }

  mutating func add(_ key: Key, _ values: [String]) { for value in values { add(key, value) } }

  mutating func add(_ key: Key, _ isSet: Bool) { add(InstalledOption(word: key.option), isSet) }

  /// The request that the options ask for. `isResolving`: a name in `--udp-keepalive-to` is looked up.
  /// Throws the first error, whose text begins with the option that is wrong, and its value if that is
  /// wrong by itself.
  func request(name: String?, isResolving: Bool = true) throws(Failure) -> Request.Run {
    if let name, !ProgramName.isValid(name) {
      throw .usage("--name \(name): must be \(ProgramName.expected)")
    }
    return Request.Run(name: name, try reader(isResolving: isResolving).settings)
  }

  /// The entries that the environment of the program gets: those of `--env`, and the one by which Lull's ALSA
  /// plugin uses the buffer of `--deep-buffer`.
  func environment() throws(Failure) -> [String] { try reader(isResolving: false).environment }

  func errors() -> [OptionError] { OptionReader(list, isResolving: false).errors }

  private func reader(isResolving: Bool) throws(Failure) -> OptionReader {
    let reader = OptionReader(list, isResolving: isResolving)
    if let error = reader.errors.first { throw error.failure }
    return reader
  }
}

/// Reads the options, and gathers what is wrong with them.
struct OptionReader: FieldVisitor {
  private typealias Value = (place: Int, option: String, text: String)

  /// The most ports of an option: more would not fit a text line of the protocol.
  private static let mostPorts = 256

  private let list: [(option: InstalledOption, value: String?)]
  private(set) var settings = ProgramSettings()
  private(set) var environment: [String] = []
  private(set) var errors: [GivenOptions.OptionError] = []

  init(_ list: [(option: InstalledOption, value: String?)], isResolving: Bool) {
    self.list = list
    settings = (try? settings.visited(by: &self)) ?? settings
    readDestination(isResolving: isResolving)
    settings.modes = settings.effectiveModes
    checkTogether()
    readEnvironment()
    checkInput()
  }

  private func values(of option: String) -> [Value] {
    list.indices.filter { list[$0].option.word == option }.map { ($0, option, list[$0].value ?? "") }
  }

  private mutating func refuse(_ value: Value, _ words: String) {
    note(value, .usage("\(value.option) \(value.text): \(words)"))
  }

  private mutating func note(_ value: Value, _ failure: Failure, mayFollow: Bool = false) {
    errors.append(.init(place: value.place, failure: failure, mayFollow: mayFollow))
  }

  // MARK: Settings

  mutating func optional<Field>(
    _ key: Key, _ type: FieldType<Field>, value: Field?
  ) throws(WireError) -> Field? {
    let values = values(of: key.option)
    guard let last = values.last, let message = field(key, type.shape, of: values, last: last) else {
      return nil
    }
    do throws(WireError) { return try type.read(message, key) } catch {
      note(last, .usage("\(last.option): \(error)"))
      return nil
    }
  }

  private mutating func field(
    _ key: Key, _ shape: FieldShape, of values: [Value], last: Value
  ) -> Message? {
    let empty = Message(.ok)
    switch shape {
    case .flag: return empty.adding(flag: key)
    case .ports:
      let expected = "no such port; give a number from 1 to 65535 or a service name such as sip"
      return list(key, values, most: Self.mostPorts, expected: expected, read: Self.port)
    case .schemes:
      let expected = "must be \(LinkURL.expectedScheme)"
      return list(key, values, most: Limits.maximumSchemes, expected: expected) {
        LinkURL.isScheme($0) ? $0 : nil
      }
    case .accessories:
      let expected = "must be \(Accessory.expected)"
      return list(key, values, most: Limits.maximumAccessories, expected: expected, read: Accessory.init)
    case .peers:
      let expected = "must be \(PeerRange.expected)"
      return list(key, values, most: Limits.maximumPeers, expected: expected, read: PeerRange.init)
    case .probes:
      let expected = "must be \(ProbeRule.expected)"
      return list(key, values, most: Limits.maximumPeers, expected: expected, read: ProbeRule.init)
    case .words(let all): return words(last, of: all).map { empty.adding(key, $0) }
    // The wire takes shorter keep-alives, for a daemon whose clock runs fast.
    case .seconds(let range) where key == .fetch:
      return hours(last, in: range).map { empty.adding(key, $0) }
    case .seconds(let range):
      return interval(last, in: key == .keepAlive ? Bounds.keepAlives : range).map { empty.adding(key, $0) }
    case .secondsOrNever(let range):
      if last.text == "never" { return empty.adding(key, last.text) }
      return interval(last, in: range, or: ", or never").map { empty.adding(key, $0) }
    case .number(let range) where key == .cpu:
      guard let percent = UInt64(last.text), range.contains(percent) else {
        refuse(last, "must be \(range.lowerBound) to \(range.upperBound), in percent of one processor")
        return nil
      }
      return empty.adding(key, percent)
    // Any other number of the settings is that of a signal.
    case .number:
      let number = Signal.number(named: last.text)
      if number == nil { refuse(last, "no such signal; \"kill -l\" lists them") }
      return number.map { empty.adding(key, $0) }
    default: return empty.adding(key, last.text)
    }
  }

  private mutating func words(_ value: Value, of all: [String]) -> String? {
    let words = value.text.split(separator: ",", omittingEmptySubsequences: false).map { String($0) }
    if !words.allSatisfy(all.contains) {
      refuse(value, "each must be one of \(all.joined(separator: ", "))")
    } else if let place = words.indices.first(where: { words[..<$0].contains(words[$0]) }) {
      refuse(value, "\(words[place]) stands there twice; keep one of the two")
    } else {
      return value.text
    }
    return nil
  }

  private mutating func list<Element: Equatable & CustomStringConvertible>(
    _ key: Key, _ values: [Value], most: Int, expected: String, read: (String) -> Element?
  ) -> Message {
    var elements: [Element] = []
    for value in values {
      guard let element = read(value.text) else {
        refuse(value, expected)
        continue
      }
      guard !elements.contains(element) else { continue }
      elements.append(element)
      if elements.count == most + 1 { note(value, .usage("\(value.option): at most \(most) can be given")) }
    }
    return Message(.ok).adding(key, list: elements.prefix(most).map(\.description))
  }

  private static func port(_ word: String) -> UInt16? {
    let isNumber = word.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isNumber else { return Services.port(named: word) }
    return UInt16(word).flatMap { $0 > 0 ? $0 : nil }
  }

  private mutating func interval(
    _ value: Value, in range: ClosedRange<Interval>, or other: String = ""
  ) -> Interval? {
    let (lowest, highest) = (range.lowerBound.seconds, range.upperBound.seconds)
    if let seconds = Double(value.text), (lowest...highest).contains(seconds) {
      return Interval(nanoseconds: Int64(seconds * 1e9))
    }
    // The longest time, 100 years, is not worth a word.
    let upTo = range.upperBound == Bounds.longest ? " s or more" : " to \(highest.plain) s"
    refuse(value, "must be \(lowest.plain)\(upTo)\(other)")
    return nil
  }

  private mutating func hours(_ value: Value, in range: ClosedRange<Interval>) -> Interval? {
    let (lowest, highest) = (range.lowerBound.seconds / 3600, range.upperBound.seconds / 3600)
    if let hours = Double(value.text), (lowest...highest).contains(hours) {
      return Interval(nanoseconds: Int64(hours * 3.6e12))
    }
    refuse(value, "must be a number of hours, \(lowest.plain) or more")
    return nil
  }

  /// The address of `HOST:PORT`, in digits: the daemon asks no name service.
  private mutating func readDestination(isResolving: Bool) {
    guard let value = values(of: Key.udpKeepaliveTo.option).last else { return }
    guard settings.udpKeepAlive != nil else {
      let failure = Failure.usage("\(value.option) \(value.text): give --udp-keepalive SECONDS too")
      return note(value, failure, mayFollow: true)
    }
    let text = value.text
    guard SocketAddress(numeric: text) == nil else { return }
    guard let colon = text.lastIndex(of: ":"),
      let port = Self.port(String(text[text.index(after: colon)...])),
      colon > text.startIndex, !text[..<colon].contains(":")
    else { return refuse(value, "must be HOST:PORT, such as sip.example.org:5060") }
    guard isResolving else { return settings.udpKeepAliveTo = nil }
    do {
      let found = try Socket.resolve(host: String(text[..<colon]), port: port)
      settings.udpKeepAliveTo = found.first?.description
    } catch {
      note(value, .failed("\(value.option) \(text): \(error)"))
    }
  }

  private mutating func checkTogether() {
    for value in values(of: Key.ignore.option) {
      guard let port = Self.port(value.text), settings.wakeOn.contains(port) else { continue }
      refuse(value, "--wake-on names port \(port) too; a port is either watched or ignored")
    }
    for value in values(of: Key.answerProbe.option) where values(of: Key.ignorePeer.option).isEmpty {
      note(
        value, .usage("\(value.option): give --ignore-peer ADDRESS too, for those who ask"), mayFollow: true)
    }
    let sounds = values(of: Key.silence.option) + values(of: InstalledOption.deepBuffer.word)
    for value in sounds where !settings.modes.contains(.audio) {
      note(value, .usage("\(value.option): give --mode audio too"), mayFollow: true)
    }
  }

  private mutating func checkInput() {
    for value in values(of: InstalledOption.stdin.word) {
      if StreamOptions.Input(rawValue: value.text) == nil {
        refuse(value, "must be empty or open")
      } else if !values(of: InstalledOption.terminal.word).isEmpty {
        let words = "the input of a program with --tty is its terminal; give one of both"
        note(value, .usage("\(value.option): \(words)"), mayFollow: true)
      }
    }
  }

  // MARK: The environment

  private mutating func readEnvironment() {
    for value in values(of: InstalledOption.environment.word) {
      let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
      let name = value.text.utf8.prefix { $0 != UInt8(ascii: "=") }
      // Shells read fewer names (POSIX, XBD 8.1) than programs use.
      let isReadable = name.allSatisfy { byte in
        digits.contains(byte) || "_.-".utf8.contains(byte)
          || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
      }
      if name.isEmpty || name.endIndex == value.text.endIndex {
        refuse(value, "must be NAME=VALUE, such as LANG=de_DE.UTF-8")
      } else if !isReadable || name.first.map(digits.contains) == true {
        refuse(value, "its name must be letters, digits, '_', '.' and '-', and start with no digit")
      }
      environment.append(value.text)
    }
    guard let value = values(of: InstalledOption.deepBuffer.word).last,
      let buffer = interval(value, in: Bounds.deepBuffers)
    else { return }
    environment.append("LULL_DEEP_BUFFER=\(buffer.seconds.plain)")
  }
}
