import LullChannel
import LullSystem
import LullWire

/// The record by which a detached program is started, and started again: everything that the command had from
/// the shell that started it.
struct ProgramRecord: Equatable {
  /// The options of `lull run` that lulld hears of.
  var request: Request.Run
  var words: [[UInt8]]
  var environment: [[UInt8]]
  var directory: [UInt8]
  var umask: UInt32
  var limits: [ResourceLimit]
  /// The file of `--output`; nil: a log of Lull's own.
  var output: [UInt8]?
  /// The size of the terminal of `--tty`; nil: no terminal.
  var terminal: TerminalSize?
  var isInputOpen = false
  /// True when a file of an installed program stands for the record, which is not kept then.
  var isInstalled = false

  /// The longest record: the kernel takes no longer command.
  private static let maximum = 16 << 20
  private static let first = "lull-program"

  // MARK: Files

  static func load(_ path: String) throws(Failure) -> ProgramRecord? {
    let bytes = try explained(
      "\(path): cannot be read", brief: Files.ifThere(Files.readOwn(path, limit: maximum)))
    guard let bytes else { return nil }
    guard let record = ProgramRecord(bytes) else {
      throw .failed("\(path): not a record of this version; start the program with \"lull run --detach\"")
    }
    return record
  }

  func save(_ path: String) throws(SystemError) {
    if let slash = path.lastIndex(of: "/") { try Files.makeDirectories(String(path[..<slash])) }
    try Files.replace(path, with: encoded())
  }

  // MARK: Bytes

  /// Two text lines, then strings that are ended by NUL: directory, output, words, environment.
  func encoded() throws(SystemError) -> [UInt8] {
    var head = Message(
      Self.first, Field("version", "1"), Field("umask", "\(umask)"), Field("words", "\(words.count)"),
      Field("installed", isInstalled ? "yes" : "no"),
      Field("limits", limits.map { "\($0.resource):\($0.soft):\($0.hard)" }.joined(separator: ",")))
    if let terminal {
      head = head.adding(.columns, terminal.columns).adding(.rows, terminal.rows)
    }
    head = head.adding(flag: .input, if: isInputOpen)
    let strings = [directory, output ?? []] + words + environment
    do {
      return try head.encoded() + Request.run(request).message().encoded()
        + Array(strings.map { $0 + [0] }.joined())
    } catch {
      throw .tooMany("the options of the program")
    }
  }

  init?(_ bytes: [UInt8]) {
    let lines = bytes.split(separator: UInt8(ascii: "\n"), maxSplits: 2, omittingEmptySubsequences: false)
    guard lines.count == 3, let head = try? Message.parse(String(decoding: lines[0], as: UTF8.self)),
      head.verb == Self.first, head["version"] == "1", let umask = head["umask"].flatMap({ UInt32($0) }),
      let count = head["words"].flatMap({ Int($0) }), let limits = Self.limits(head["limits"]),
      let line = try? Message.parse(String(decoding: lines[1], as: UTF8.self)),
      case .run(let request)? = try? Request.parse(line)
    else { return nil }
    let strings = lines[2].split(separator: 0, omittingEmptySubsequences: false).dropLast().map(Array.init)
    guard count > 0, strings.count >= count + 2 else { return nil }
    self.init(
      request: request, words: Array(strings[2..<count + 2]), environment: Array(strings[(count + 2)...]),
      directory: strings[0], umask: umask, limits: limits)
    output = strings[1].isEmpty ? nil : strings[1]
    (isInputOpen, isInstalled) = (head[.input] != nil, head["installed"] == "yes")
    if let size = try? KeeperMessage.Size(head) { terminal = .init(columns: size.columns, rows: size.rows) }
  }

  init(
    request: Request.Run, words: [[UInt8]], environment: [[UInt8]], directory: [UInt8], umask: UInt32,
    limits: [ResourceLimit]
  ) {
    (self.request, self.words, self.environment) = (request, words, environment)
    (self.directory, self.umask, self.limits) = (directory, umask, limits)
  }

  private static func limits(_ text: String?) -> [ResourceLimit]? {
    var limits: [ResourceLimit] = []
    for part in (text ?? "").split(separator: ",") {
      let numbers = part.split(separator: ":").compactMap { UInt64($0) }
      guard numbers.count == 3, let resource = Int32(exactly: numbers[0]) else { return nil }
      limits.append(.init(resource: resource, soft: numbers[1], hard: numbers[2]))
    }
    return limits
  }
}

/// Where keepers have their sockets, logs and records; those of logs and records are nil for a user without a
/// home.
enum KeeperFolders {
  static var state: String? { StateDirectory.path() }
  static var logs: String? { state.map { $0 + "/logs" } }
  static var records: String? { ProgramRecords.folder() }

  static func socket(of name: String) -> String { "\(RuntimeDirectory.keepers())/\(name)" }
  static func log(of name: String) -> String? { logs.map { "\($0)/\(name).log" } }
  static func record(of name: String) -> String? { records.map { "\($0)/\(name)" } }

  /// The file that has the output of a program: that of its `--output`, or its log; nil for a user without a
  /// home.
  static func output(of name: String) -> String? {
    guard let log = log(of: name), let record = record(of: name) else { return nil }
    // The record of an installed program is its file, also where another record has that name.
    if let file = try? InstalledFolder.ofThisUser?.file(name) {
      return file.values(of: "--output").last ?? log
    }
    return (try? ProgramRecord.load(record))?.output.map { String(decoding: $0, as: UTF8.self) } ?? log
  }

  /// The last lines of its last life in that file, without escape sequences.
  static func lastLines(_ count: Int, of name: String) -> [String] {
    guard let path = output(of: name) else { return [] }
    let log = ProgramLog(appendingTo: Array(path.utf8)).tail(4096)
    let text = String(decoding: PlainText.text(LifeMark.parts(of: log).last ?? log), as: UTF8.self)
    return text.split(whereSeparator: \.isNewline).suffix(count).map { String($0) }
  }
}
