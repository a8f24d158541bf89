import ArgumentParser
import LullSystem
import LullWire

struct DoctorCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor",
    abstract: "Check what this machine allows, and tell how to mend the rest.",
    discussion: """
      Works without a daemon for what lull can try itself; a daemon that runs adds what it sees. \
      yes: works; limited: Lull does its job with less; no: it cannot, and the exit status is 1.

      --thaw lets programs go on that a daemon left asleep when it was killed, and tells which. What a \
      daemon that lives has put to sleep is not touched.

      Example: lull doctor
      """)

  @Flag(help: "Let go on what was left asleep by a daemon that is gone; nothing else is checked.")
  var thaw = false
  @OptionGroup var json: JSONOption

  func validate() throws {
    guard !thaw || !json.isJSON else { throw ValidationError("--thaw or --json, not both") }
  }

  func run() throws(Failure) {
    guard !thaw else { return try LeftoverCheck.thaw() }
    // The signals are blocked: a Ctrl-C must not leave a frozen child or its cgroup behind. Each check ends
    // within seconds.
    let signals = try ForwardedSignals()
    let checks = Self.checks()
    try json.write(checks) { DoctorText.text(checks, $0) }
    while let arrival = try signals.next() {
      if Signal.ending.contains(arrival.signal) { throw .status(128 + arrival.signal) }
    }
    if checks.contains(where: { $0.result == .no }) { throw .status(1) }
  }

  private static func checks() -> [CheckItem] {
    let (limit, isEnough) = LimitCheck.run()
    guard isEnough else { return [limit] }
    let daemon = DaemonChecks.run()
    let freezer = FreezerCheck.run(root: DaemonChecks.cgroupRoot(in: daemon))
    return [limit] + freezer + RightsChecks.run() + SoundChecks.run() + LeftoverCheck.run()
      + FileChecks.run() + daemon
  }
}

enum DoctorText {
  static func text(_ checks: [CheckItem], _ style: Style) -> String {
    let results = checks.map(\.result.rawValue)
    let width = results.reduce(0) { max($0, $1.count) }
    let nameWidth = checks.reduce(0) { max($0, Printable.text($1.name).count) }
    return checks.map { check in
      let result = padded(check.result.rawValue, width)
      let name = padded(Printable.text(check.name), nameWidth)
      let line = "\(style.paint(result, colour(check)))  \(name)  \(Printable.text(check.detail))\n"
      let place = width + nameWidth + 4
      let indent = String(repeating: " ", count: place)
      let mend = check.mend.map { "\(indent)mend: \(Printable.text($0))\n" } ?? ""
      return Prose.wrapped(line, columns: style.proseColumns, hanging: place)
        + Prose.wrapped(mend, columns: style.proseColumns, hanging: 6)
    }.joined()
  }

  private static func colour(_ check: CheckItem) -> Style.Colour {
    switch check.result {
    case .yes: .green
    case .limited: .yellow
    case .no: .red
    }
  }

  private static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }
}
