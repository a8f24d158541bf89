extension SurroundingNews: FieldGroup {
  package static var blank: Self { .init([]) }

  package func visited(by fields: inout some FieldVisitor) throws(WireError) -> Self {
    let changes = try fields.needed(.what, .words, value: changes)
    let isLocked = try fields.flag(.locked, isLocked)
    let source = try fields.optional(.power, .word, value: power.source == .unknown ? nil : power.source)
    let percent = try fields.optional(.percent, .number(in: 0...100), value: power.percent)
    return .init(changes, isLocked: isLocked, power: Power(source ?? .unknown, percent: percent))
  }
}
