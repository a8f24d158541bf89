/// What programs use of memory and of the processor, for people.
enum UsageText {
  /// The columns of `lull status`, after all others.
  static let columns: [Table.Column] = [
    .init(title: "MEMORY", place: .rank(8)), .init(title: "CPU", place: .rank(9)),
  ]

  static func cells(_ program: ProgramReport) -> [Table.Cell] {
    [.init(program.memory.map(memory) ?? ""), .init(program.processor.map(processor) ?? "")]
  }

  /// For example `6.8 MiB (was 104 MiB)`.
  static func memory(_ memory: MemoryReport) -> String {
    let now = size(memory.residentBytes)
    guard let before = memory.beforeBytes, before > memory.residentBytes else { return now }
    return "\(now) (was \(size(before)))"
  }

  /// For example `12.04 s (0.01 s awake last)`.
  static func processor(_ processor: ProcessorReport) -> String {
    let total = "\(hundredths(processor.seconds)) s"
    return processor.secondsBetweenSleeps.map { "\(total) (\(hundredths($0)) s awake last)" } ?? total
  }

  private static func size(_ bytes: Int64) -> String {
    let tenths = (Double(bytes) / 1_048_576 * 10).rounded() / 10
    return tenths < 10 ? "\(tenths) MiB" : "\(Int64(tenths.rounded())) MiB"
  }

  private static func hundredths(_ seconds: Double) -> String { "\((seconds * 100).rounded() / 100)" }
}
