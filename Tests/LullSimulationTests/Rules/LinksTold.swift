import LullEngine

/// A link is told to its program once, in the order of the links, as soon as its launch and its transition
/// are over.
final class LinksTold: Rule {
  static let name = "links-told"
  private(set) var sightings = 0
  private var untold: [AppID: [String]] = [:]

  func answer(_ answer: Engine.Answer, _ ledger: Ledger) throws(Violation) {
    guard case .open(let app, let url) = ledger.request, case .done = answer else { return }
    untold[app, default: []].append(url)
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .open(let app, let url, _):
      guard let record = ledger[app] else { return }
      try require(untold[app]?.first == url, "\(app) is told of a link that nobody opened")
      try require(record.isLaunched, "\(app) is told of a link before it is launched")
      try require(record.message == nil, "\(app) is told of a link within a transition")
      try require(!record.isHeld, "\(app) is told of a link while it cannot run")
      untold[app]?.removeFirst()
      sightings += 1
    case .forget(let app): untold[app] = nil
    default: break
    }
  }

  func end(_ step: Step, _ ledger: Ledger) throws(Violation) {
    for snapshot in step.snapshots {
      guard let record = ledger[snapshot.id], record.isStaying, record.isLaunched, record.message == nil,
        record.registration.speaks
      else { continue }
      try require(untold[record.id]?.isEmpty != false, "\(record.id) is not told of a link")
    }
  }
}
