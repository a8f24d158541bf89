import LullEngine

/// "Every request is answered once": exactly one answer, in the same call, and none to anybody else.
final class AnsweredOnce: Rule {
  static let name = "answered-once"

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    var answers = 0
    let request = step.event.request
    for effect in step.effects {
      guard case .answer(let answered, _) = effect else { continue }
      answers += 1
      try require(answered == request, "an answer to \(answered), which was not asked")
    }
    let expected = request == nil ? 0 : 1
    try require(answers == expected, "\(answers) answers where \(expected) is due")
  }
}
