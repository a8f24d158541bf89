import LullEngine

/// A link is told to its program once, in the order of the links, as soon as its launch and its transition
/// are over.
final class LinksTold: Rule {
  static let name = "links-told"
  private(set) var sightings = 0
  private var untold: [AppID: [String]] = [:]
  /// The links of programs that are on their way, without that for which each is started.
  private var pending: [String: [String]] = [:]
  private var names: [AppID: String] = [:]

  func answer(_ answer: Engine.Answer, _ ledger: Ledger) throws(Violation) {
    switch (ledger.request, answer) {
    case (.open(let app, let url), .done): untold[app, default: []].append(url)
    case (.launch(let name, let launch), .done): pending[name, default: []] += [launch.url].compactMap(\.self)
    case (.launchFailed(let name, _), _), (.forceQuit(let name), _),
      (.install(let name, .quit, _), .done):
      pending[name] = nil
    case (.register(let registration), .registered(let app, _)) where registration.speaks:
      untold[app] = pending.removeValue(forKey: registration.name)
    case (.adopt(let app, let registration), .registered):
      untold[app, default: []] += pending.removeValue(forKey: names[app] ?? registration.name) ?? []
    default: break
    }
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
    case .launch(let name, let launch):
      guard let url = launch.url else { return }
      guard pending[name]?.first == url else {
        throw Violation(rule: Self.name, what: "\(name) is started for a link that nobody opened")
      }
      pending[name]?.removeFirst()
    case .giveUpLaunch(let name), .note(_, .linksLost(let name, _)): pending[name] = nil
    case .note(let app?, .registered(let name)) where ledger[app]?.registration.isUnmanaged != true:
      names[app] = name
    case .note(let app?, .left): names[app].map { pending[$0] = nil }
    case .forget(let app): (untold[app], names[app]) = (nil, nil)
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
