import LullEngine

/// The owners of the programs' sleep.
struct Freezing {
  let freezer: Freezer
  let observer: Observer
  let sources: WakeSources
  let probes: ProbeAnswers
  private let releases: ReleaseQueue

  init(_ services: SharedServices, clock: EngineClock, policy: Policy, controlPath: String) {
    let reactor = services.reactor
    releases = ReleaseQueue(reactor)
    freezer = Freezer(reactor, releases, journal: services.journal)
    sources = WakeSources(reactor, closer: services.closer, releases: releases, journal: services.journal)
    probes = ProbeAnswers(reactor, policy, journal: services.journal)
    observer = Observer(
      ObserverServices(
        reactor: reactor, closer: services.closer, releases: releases, clock: clock, policy: policy,
        controlPath: controlPath, journal: services.journal))
  }

  var hasWork: Bool { freezer.hasWork || !releases.isEmpty }

  /// Ends the observation of a program that runs, and gives up what was watched while it slept;
  /// `keepsEvents`: the end of its last process is waited for.
  func release(_ id: AppID, keepsEvents: Bool) {
    observer.end(id)
    freezer.release(id, keepsEvents: keepsEvents)
    sources.release(id)
  }

  func closeReleased() { releases.letGo() }

  func forget(_ id: AppID) {
    freezer.forget(id)
    observer.forget(id)
    sources.forget(id)
    probes.forget(id)
  }
}
