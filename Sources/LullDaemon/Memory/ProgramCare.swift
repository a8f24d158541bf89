import LullEngine
import LullSystem

struct ProgramCare {
  let compactions: Compactions
  let weights: Weights
  let times = ProcessorTimes()
  /// Sleepers whose locks or signals are to be looked at, once the thaws of the turn are written.
  let lockChecks = SleeperList(), signalChecks = SleeperList()

  init(_ services: SharedServices) throws(SystemError) {
    compactions = try Compactions(services.reactor)
    weights = Weights(services.journal)
  }

  func forget(_ id: AppID) {
    compactions.forget(id)
    weights.forget(id)
    times.forget(id)
    lockChecks.forget(id)
    signalChecks.forget(id)
  }
}

/// Sleepers that are to be looked at: one look serves all of a turn.
final class SleeperList {
  private var waiting: [AppID] = []

  func add(_ id: AppID) { waiting.append(id) }

  func forget(_ id: AppID) { waiting.removeAll { $0 == id } }

  func take() -> [AppID] {
    guard !waiting.isEmpty else { return [] }
    defer { waiting = [] }
    return waiting
  }
}
