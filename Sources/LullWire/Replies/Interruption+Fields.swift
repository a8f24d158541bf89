extension Interruption: FieldGroup {
  package static var blank: Self { .began }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    let phase = try fields.needed(.phase, .word, value: phase)
    let shouldResume = try fields.flag(.shouldResume, self == .ended(shouldResume: true))
    return phase == .began ? .began : .ended(shouldResume: shouldResume)
  }

  private var phase: Vocabulary.InterruptionPhase { self == .began ? .began : .ended }
}
