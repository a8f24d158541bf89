import LullWire

/// What `lull watch` has found.
enum WatchText {
  /// `end` is why it was not watched until the end.
  static func text(
    _ program: ProgramReport, watched seconds: Double, end: String?, _ style: Style
  ) -> String {
    let whole = program.asleepSeconds + program.awakeSeconds
    let share = whole > 0 ? (program.asleepSeconds / whole * 1000).rounded() / 10 : 0
    var lines = [
      """
      \(style.paint(Printable.text(program.name), .bold)) was watched for \
      \(DurationText.text(seconds: seconds)): it would have slept \(share.plain) % of the time, \
      and woken \(times(program.wakes))
      """
    ]
    lines += program.tallies(.wake).map { "  \(times($0.count)) by \(WakeText.cause(of: $0))" }
    let refusals = program.tallies(.refusal).filter { ($0.seconds ?? 0) > 0 }
    if !refusals.isEmpty { lines.append("what kept it awake:") }
    for refusal in refusals {
      let report = RefusalReport(reason: OpenWord(refusal.reason), detail: refusal.detail)
      let plays = program.modes.contains("audio")
      let (sentence, advice) = RefusalText.reasonWithAdvice(report, plays: plays)
      lines.append("  \(DurationText.text(seconds: refusal.seconds ?? 0)): \(sentence)")
      if let advice { lines.append("    \(advice)") }
    }
    lines += [end].compactMap(\.self)
    if program.tallies(.wake).contains(where: { $0.reason == WakeReason.accept.rawValue }) {
      lines.append("connections that came and went within a second may be missing")
    }
    if let resident = program.residentBytes {
      lines.append(
        "it holds \(UsageText.mebibytes(resident)) of memory; a sleeper gives most of it back where there is "
          + "swap or zram")
    }
    return Prose.wrapped(lines.map { $0 + "\n" }.joined(), columns: style.proseColumns)
  }

  private static func times(_ count: Int64) -> String { count == 1 ? "once" : "\(count) times" }
}
