import LullWire

/// The report of `lull why --machine`.
struct ResumeReport: Encodable, Equatable {
  struct Next: Encodable, Equatable {
    let program: String
    /// A word of ``ResumeReason``, or of a newer daemon's.
    let reason: String
    let dueInSeconds: Double
  }

  /// False where a suspended machine is not resumed.
  let isPermitted: Bool
  @OrNull var next: Next?

  enum CodingKeys: String, CodingKey {
    case next
    case isPermitted = "permitted"
  }

  init(_ ok: Message) throws(WireError) {
    isPermitted = ok[.on] == Vocabulary.Choice.yes.rawValue
    guard let reason = ok[.reason] else { return }
    next = Next(
      program: try ok.string(.name), reason: reason, dueInSeconds: try ok.number(.dueInSeconds))
  }
}
