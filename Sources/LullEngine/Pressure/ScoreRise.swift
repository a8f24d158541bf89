/// The rise of the `oom_score_adj` of a sleeper's processes, such that it can be undone: each raised value
/// stands for one previous value, and no process that is left alone has it.
public struct ScoreRise: Equatable, Sendable {
  /// A value before and after.
  public struct Step: Equatable, Sendable {
    /// The previous value.
    public let old: Int
    /// The raised one.
    public let raised: Int
  }

  /// One step for each previous value.
  public private(set) var steps: [Step] = []

  /// The rise of processes with these values. The greatest value is 1000; -1000 means that a process is never
  /// killed, and somebody has chosen that.
  public init(of values: [Int], by rise: Int) {
    let old = values.reduce(into: [Int]()) { if !$0.contains($1) { $0.append($1) } }
    for value in old.sorted() where value > -1000 {
      var raised = min(value + rise, 1000)
      while raised > value, old.contains(raised) || steps.contains(where: { $0.raised == raised }) {
        raised -= 1
      }
      if raised > value { steps.append(Step(old: value, raised: raised)) }
    }
  }

  /// The raised value for a previous one; nil for one that is left alone.
  public func raised(_ old: Int) -> Int? { steps.first { $0.old == old }?.raised }

  /// The previous value for a raised one; nil for one that was not raised.
  public func previous(_ raised: Int) -> Int? { steps.first { $0.raised == raised }?.old }
}
