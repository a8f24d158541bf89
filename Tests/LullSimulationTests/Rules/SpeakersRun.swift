import LullEngine

/// "Not idle: the program was in the middle of something, or sent a request." A program that speaks while it
/// is frozen or being frozen spoke before the freeze caught it: the freeze is taken back before the answer.
final class SpeakersRun: Rule {
  static let name = "speakers-run"
  private var speaker: AppID?

  func event(_ event: Event?, _ ledger: Ledger) throws(Violation) {
    speaker = nil
    guard let app = said(event) ?? asked(ledger.request), let record = ledger[app],
      record.isStaying, record.isHeld
    else { return }
    speaker = app
  }

  private func said(_ event: Event?) -> AppID? {
    switch event {
    case .did(let app, _), .done(let app, _), .handling(let app, _): app
    default: nil
    }
  }

  private func asked(_ request: Engine.Request?) -> AppID? {
    if case .adopt = request { return nil }
    return request?.asker
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard let speaker else { return }
    if case .thaw(speaker) = effect { self.speaker = nil }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    if let speaker { try require(false, "\(speaker) said something and stays frozen") }
  }
}
