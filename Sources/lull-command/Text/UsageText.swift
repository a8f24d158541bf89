import LullWire

enum UsageText {
  static let columns: [Table.Column] = [
    .init(title: "MEMORY", place: .rank(8)), .init(title: "CPU", place: .rank(9)),
  ]

  static func cells(_ program: ProgramReport) -> [Table.Cell] {
    [
      .init(program.memory.map(memory) ?? "", short: program.memory.map { size($0.residentBytes) }),
      .init(program.processor.map(processor) ?? "", short: program.processor.map { seconds($0.seconds) }),
    ]
  }

  /// For example `6.8 MiB (was 104 MiB)`.
  static func memory(_ memory: MemoryReport) -> String {
    let now = size(memory.residentBytes)
    guard let before = memory.beforeBytes, before > memory.residentBytes else { return now }
    return "\(now) (was \(size(before)))"
  }

  /// For example `12.04 s (0.01 s at its last wake)`.
  static func processor(_ processor: ProcessorReport) -> String {
    let total = seconds(processor.seconds)
    return processor.secondsBetweenSleeps.map { "\(total) (\(seconds($0)) at its last wake)" } ?? total
  }

  private static func size(_ bytes: Int64) -> String {
    let tenths = (Double(bytes) / 1_048_576 * 10).rounded() / 10
    return tenths < 10 ? "\(tenths) MiB" : "\(Int64(tenths.rounded())) MiB"
  }

  /// For example `12.04 s`, `0 s`.
  private static func seconds(_ seconds: Double) -> String {
    let hundredths = "\((seconds * 100).rounded() / 100)"
    return "\(hundredths.hasSuffix(".0") ? String(hundredths.dropLast(2)) : hundredths) s"
  }
}
