import LullEngine
import LullSystem

/// The network has changed, or the machine was asleep: programs whose connections that concerns connect
/// again.
final class NetworkFeature: Feature {
  let core: Core
  /// That of the daemon's own namespace, and those of adopted programs in others.
  private var watches: [NetworkWatch]
  /// The namespaces of adopted programs that are not the daemon's own.
  private var spaces = AppTable<UInt64>()
  /// As the engine was told.
  private var isOnline = true

  init(_ core: Core) {
    self.core = core
    watches = [NetworkWatch(core.services)]
  }

  var deadline: Int64? { watches.reduce(nil) { earlier($0, $1.deadline) } }

  func settle() {
    guard watches[0].isOnline != isOnline else { return }
    isOnline = watches[0].isOnline
    feed(.surrounding(.online(isOnline)))
  }

  // MARK: Namespaces

  /// Several containers of a pod share one.
  func adopted(_ program: Program) {
    guard let space = journal.ignoring(.gone, try NetworkNamespace.foreign(of: program.pid)) ?? nil else {
      return
    }
    spaces[program.id] = space.number
    if watch(of: space.number) == nil { watches.append(NetworkWatch(core.services, in: space)) }
  }

  func forget(_ program: Program) {
    let space = spaces[program.id] ?? 0
    watch(of: space)?.forget(program.id)
    spaces[program.id] = nil
    guard space != 0, !programs.contains(where: { spaces[$0.id] == space }) else { return }
    watch(of: space)?.end()
    watches.removeAll { $0.number == space }
  }

  private func watch(of space: UInt64) -> NetworkWatch? { watches.first { $0.number == space } }

  // MARK: Changes

  func newsCame(in space: UInt64) { watch(of: space)?.newsCame(at: seenAt) }

  func sleepBegins() { for watch in watches { watch.sleepBegins() } }

  /// The machine was asleep, as its clocks tell or, where that `isTold`, as it says itself.
  func resumed(isTold: Bool = false) { for watch in watches { watch.resumed(at: seenAt, isTold: isTold) } }

  func timeIsUp() { for watch in watches { timeIsUp(for: watch) } }

  private func timeIsUp(for watch: NetworkWatch) {
    guard let change = watch.timePassed(seenAt) else { return }
    let reason: WakeReason = change.hasResumed ? .resumed : .network
    var concerned: [AppID] = []
    for id in programs.map(\.id) where (spaces[id] ?? 0) == watch.number {
      let lines = sources.descriptions(of: id)
      let ends = lines.compactMap(LineEnds.init)
      let verdict = change.verdict(
        on: ends, isOffline: !lines.contains(where: LineEnds.isInternet), missed: watch.lost(by: id))
      if verdict.isConcerned { concerned.append(id) }
      watch.note(verdict.lost, lostBy: id)
    }
    // A program that is woken for the change is told of it first.
    let isTold = change.changesWayOut || change.changesAny && !concerned.isEmpty
    if isTold, watch.number == 0 { feed(.surrounding(.network)) }
    for id in concerned { feed(.reconnect(id, reason)) }
  }
}
