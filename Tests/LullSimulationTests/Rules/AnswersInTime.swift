import LullEngine

/// "Who has received and not yet answered lets its running time-out of up to 2 s run out once": a server that
/// answers at its own tick does not sleep before that tick.
final class AnswersInTime: Rule {
  static let name = "answers-in-time"
  private(set) var sightings = 0

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    guard let kernel = step.kernel, ledger[kernel.app]?.hold == .frozen else { return }
    if kernel.hasAnswered { sightings += 1 }
    try require(
      kernel.unanswered == nil,
      "\(kernel.app) sleeps before its answer on \(String(describing: kernel.unanswered))")
  }
}
