import ArgumentParser
import LullWire

/// `lull doctor`.
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

  func run() throws(Failure) {
    guard !thaw else { return try LeftoverCheck.thaw() }
    // The signals are blocked: a Ctrl-C must not leave a frozen child or its cgroup behind. Each check ends
    // within seconds.
    let signals = try ForwardedSignals()
    let checks =
      FreezerCheck.run() + RightsChecks.run() + SoundChecks.run() + LeftoverCheck.run()
      + DaemonChecks.run()
    try Output.write(DoctorText.text(checks, .ofStandardOutput()))
    if let signal = try signals.next() { throw .status(128 + signal) }
    if checks.contains(where: { $0.result == .no }) { throw .status(1) }
  }
}

/// `lull doctor` for people.
enum DoctorText {
  static func text(_ checks: [CheckReport], _ style: Style) -> String {
    let results = checks.map(\.result.rawValue)
    let width = results.reduce(0) { max($0, $1.count) }
    let nameWidth = checks.reduce(0) { max($0, Printable.text($1.name).count) }
    return checks.map { check in
      let result = padded(check.result.rawValue, width)
      let name = padded(Printable.text(check.name), nameWidth)
      let line = "\(style.paint(result, colour(check)))  \(name)  \(Printable.text(check.detail))\n"
      let indent = String(repeating: " ", count: width + nameWidth + 4)
      return line + (check.mend.map { "\(indent)mend: \(Printable.text($0))\n" } ?? "")
    }.joined()
  }

  private static func colour(_ check: CheckReport) -> Style.Colour {
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
