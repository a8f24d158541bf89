import LullEngine

// The network has changed, or the machine was asleep: programs whose connections that concerns connect again.
extension Daemon {
  func networkTimePassed() {
    guard let change = network.timePassed(seenAt) else { return }
    let reason: WakeReason = change.hasResumed ? .resumed : .network
    var concerned: [AppID] = []
    for id in programs.map(\.id) {
      let lines = sources.descriptions(of: id)
      let ends = lines.compactMap(LineEnds.init)
      let verdict = change.verdict(
        on: ends, isOffline: !lines.contains(where: LineEnds.isInternet), missed: network.lost(by: id))
      if verdict.isConcerned { concerned.append(id) }
      network.note(verdict.lost, lostBy: id)
    }
    // A program that is woken for the change is told of it first.
    if change.changesWayOut || change.changesAny && !concerned.isEmpty { feed(.surrounding(.network)) }
    for id in concerned { feed(.reconnect(id, reason)) }
  }
}
