import LullEngine

/// The network has changed, or the machine was asleep: programs whose connections that concerns connect
/// again.
final class NetworkFeature: Feature {
  let core: Core
  let watch: NetworkWatch
  /// As the engine was told.
  private var isOnline = true

  init(_ core: Core) {
    self.core = core
    watch = NetworkWatch(core.services)
  }

  var deadline: Int64? { watch.deadline }

  func settle() {
    guard watch.isOnline != isOnline else { return }
    isOnline = watch.isOnline
    feed(.surrounding(.online(isOnline)))
  }

  func forget(_ program: Program) { watch.forget(program.id) }

  func timeIsUp() {
    guard let change = watch.timePassed(seenAt) else { return }
    let reason: WakeReason = change.hasResumed ? .resumed : .network
    var concerned: [AppID] = []
    for id in programs.map(\.id) {
      let lines = sources.descriptions(of: id)
      let ends = lines.compactMap(LineEnds.init)
      let verdict = change.verdict(
        on: ends, isOffline: !lines.contains(where: LineEnds.isInternet), missed: watch.lost(by: id))
      if verdict.isConcerned { concerned.append(id) }
      watch.note(verdict.lost, lostBy: id)
    }
    // A program that is woken for the change is told of it first.
    if change.changesWayOut || change.changesAny && !concerned.isEmpty { feed(.surrounding(.network)) }
    for id in concerned { feed(.reconnect(id, reason)) }
  }
}
