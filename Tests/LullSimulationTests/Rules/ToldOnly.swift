import LullEngine

/// "Without a mode it is a plain command": a command that nothing could wake sleeps only when it was sent to
/// the background, by whoever started it or by the operator.
final class ToldOnly: Rule {
  static let name = "told-only"
  private(set) var sightings = 0

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    guard case .freeze(let app, _) = effect, let record = ledger[app], !record.registration.speaks,
      record.registration.settings.modes.isDisjoint(with: [.voip, .externalAccessory])
    else { return }
    try require(record.target == .background, "\(app) has no mode, and is frozen without being told")
    sightings += 1
  }
}
