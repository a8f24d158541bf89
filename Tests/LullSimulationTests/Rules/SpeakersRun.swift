import LullEngine

/// "Not idle: the program was in the middle of something, or sent a request." One that says something
/// while it is frozen or being frozen said it before the freeze caught it: the freeze is taken back before
/// it is answered.
final class SpeakersRun: Rule {
  static let name = "speakers-run"
  private var speaker: AppID?

  func event(_ event: Event, _ ledger: Ledger) throws(Violation) {
    speaker = nil
    switch event {
    case .did(let app, _), .done(let app, _), .hold(let app, _, _, _), .release(let app, _, _),
      .keepAlive(let app, _, lastRun: _, since: _, _), .beginTask(let app, name: _, _),
      .endTask(let app, _, _),
      .remaining(let app, _), .present(let app, _, _), .schedule(let app, _, _, repeats: _, _),
      .cancel(let app, _, _), .openSession(let app, _, _):
      guard let record = ledger[app], record.isStaying, record.isHeld else { return }
      speaker = app
    default: break
    }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard let speaker else { return }
    switch effect {
    case .thaw(speaker): self.speaker = nil
    case .answer: try require(false, "\(speaker) is answered while it is frozen")
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let speaker { try require(false, "\(speaker) said something and stays frozen") }
  }
}
