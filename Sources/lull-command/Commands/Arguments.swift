import ArgumentParser
import LullChannel
import LullSystem
import LullWire

enum Completions {
  static var programs: CompletionKind {
    .custom { _, _, _ in values(of: .name, in: .program, of: .status(name: nil)) }
  }

  /// The names of what "lull start" knows: the installed programs, and the records of "lull run --detach".
  static var records: CompletionKind { .custom { _, _, _ in Set(UnknownProgram.startable).sorted() } }

  static var installed: CompletionKind {
    .custom { _, _, _ in (try? InstalledFolder.ofThisUser?.names()) ?? [] }
  }

  static var signals: CompletionKind {
    .list((Int32(1)...31).map { String(Signal.name(of: $0).dropFirst("SIG".count)) })
  }

  static var devices: CompletionKind {
    .custom { _, _, _ in
      let inUse = values(of: .device, in: .device, of: .status(name: nil))
      return Set([DeviceName.usual] + inUse + ((try? SoundProgram.devices()) ?? [])).sorted()
    }
  }

  static var notifications: CompletionKind { .custom { _, _, _ in notified(.notification) } }

  static var actions: CompletionKind {
    .custom { _, _, _ in NotificationAction.allCases.map(\.rawValue) + notified(.action) }
  }

  private static func notified(_ key: Key) -> [String] {
    values(of: key, in: .notification, of: .notifications(follow: false))
  }

  /// Errors are dropped, and a daemon of another version is not told: without a daemon there is nothing to
  /// offer, and a line of text would be printed into the shell's prompt.
  private static func values(of key: Key, in kind: ItemKind, of request: Request) -> [String] {
    do throws(Failure) {
      var connection = try Daemon.connect()
      connection.acceptAnyVersion()
      return try connection.ask(request).items.compactMap { $0.itemKind == kind ? $0[key] : nil }
    } catch {
      return []
    }
  }
}

struct ProgramArgument: ParsableArguments {
  @Argument(help: "The program's name, as in \"lull status\".", completion: Completions.programs)
  var name: String
}

struct OptionalProgramArgument: ParsableArguments {
  @Argument(help: "Only this program.", completion: Completions.programs)
  var name: String?
}

struct JSONOption: ParsableArguments {
  @Flag(name: .customLong("json"), help: "Write JSON.")
  var isJSON = false

  func write(_ report: some Encodable, _ text: (Style) -> String) throws(Failure) {
    try Output.write(isJSON ? JSONOutput.text(report) : text(.ofStandardOutput()))
  }
}

struct ProgramsArgument: ParsableArguments {
  @Argument(
    help: .init("The programs' names, as in \"lull status\".", valueName: "name"),
    completion: Completions.programs)
  var names: [String] = []
  @Flag(name: .customLong("all"), help: "All programs.")
  var isAll = false

  func validate() throws {
    if names.isEmpty, !isAll { throw ValidationError("name a program, or say --all") }
    if !names.isEmpty, isAll { throw ValidationError("name programs or say --all, not both") }
  }

  func resolved(_ connection: inout Connection) throws(Failure) -> [String] {
    guard isAll else {
      var seen: Set<String> = []
      return names.filter { seen.insert($0).inserted }
    }
    return try connection.ask(.status(name: nil)).programNames
  }
}

struct LastOption: ParsableArguments {
  @Option(name: [.customLong("last"), .customShort("n")], help: .init("Only the last N.", valueName: "n"))
  var last: Int?

  func count() throws(Failure) -> Int? {
    if let last, last < 0 { throw .usage("--last \(last): must be 0 or more") }
    return last.map { min($0, Int(Int32.max)) }
  }
}

struct SinceOption: ParsableArguments {
  @Option(help: .init("Since 10:00, \"2 h ago\", yesterday, 2026-01-31, or boot.", valueName: "time"))
  var since: Since?

  func log(follow: Bool = false, last: Int? = nil, of program: String?) -> Request {
    switch since {
    case .moment(let moment): .log(follow: follow, last: last, name: program, since: moment)
    case .boot: .log(follow: follow, last: last, name: program, boot: true)
    case nil: .log(follow: follow, last: last, name: program)
    }
  }
}

enum Since: Equatable, ExpressibleByArgument {
  case boot
  case moment(Interval)

  var unix: Double {
    switch self {
    case .boot: Double(Clock.realtime() - Clock.boottime()) / 1e9
    case .moment(let moment): moment.seconds
    }
  }

  init?(argument: String) { self.init(argument, now: Double(Clock.realtime()) / 1e9) }

  /// `now` is in seconds since 1970.
  init?(_ text: String, now: Double) {
    guard text != "boot" else {
      self = .boot
      return
    }
    guard let seconds = Self.past(text, now) ?? Self.date(text, now) else { return nil }
    self = .moment(Interval(nanoseconds: Int64(max(0, min(seconds, 9e9)) * 1e9)))
  }

  /// `10 min ago`, `1h30min ago`, `90s`.
  private static func past(_ text: String, _ now: Double) -> Double? {
    TimeSpan(text.hasSuffix(" ago") ? text.dropLast(4) : text[...]).map { now - $0.seconds }
  }

  /// `today`, `yesterday`, `10:00`, `10:00:05`, `2026-01-31`, `2026-01-31 10:00`, `@1769853600`.
  private static func date(_ text: String, _ now: Double) -> Double? {
    let today = LocalTime(unix: now)
    switch text {
    case "today": return today.atStartOfDay().unix
    case "yesterday": return today.atStartOfDay(daysBefore: 1).unix
    default: break
    }
    if text.hasPrefix("@") { return Double(text.dropFirst()) }
    let parts = text.split(whereSeparator: { $0 == " " || $0 == "T" }).map { String($0) }
    guard let first = parts.first, parts.count <= 2 else { return nil }
    guard let day = LocalTime(day: first) else {
      return parts.count == 1 ? today.at(first)?.unix : nil
    }
    return parts.count == 1 ? day.unix : day.at(parts[1])?.unix
  }
}

/// A time such as `90s`, `1h30min` or, as systemd writes it, `1min 30s`.
struct TimeSpan: Equatable, ExpressibleByArgument {
  let seconds: Double

  /// A number alone is in seconds.
  init?(argument: String) { self.init(Double(argument) == nil ? argument[...] : argument + "s") }

  init?(_ text: Substring) {
    var (rest, sum) = (text.drop { $0 == " " }, 0.0)
    guard !rest.isEmpty else { return nil }
    while !rest.isEmpty {
      let digits = rest.prefix { $0.isASCII && ($0.isNumber || $0 == ".") }
      let unit = rest.dropFirst(digits.count).drop { $0 == " " }.prefix { $0.isLetter }
      guard let number = Double(digits), let factor = Self.seconds(of: String(unit)) else { return nil }
      sum += number * factor
      rest = rest[unit.endIndex...].drop { $0 == " " }
    }
    seconds = sum
  }

  private static func seconds(of unit: String) -> Double? {
    switch unit {
    case "us": 1e-6
    case "ms": 1e-3
    case "s", "sec", "second", "seconds": 1
    case "m", "min", "minute", "minutes": 60
    case "h", "hour", "hours": 3600
    case "d", "day", "days": 86_400
    case "w", "week", "weeks": 604_800
    case "month": 2_629_800
    case "y": 31_557_600
    default: nil
    }
  }
}
