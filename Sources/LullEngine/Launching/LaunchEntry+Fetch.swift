// Fetches of a program that does not run.
extension LaunchEntry {
  mutating func keep(_ window: FetchWindow?) { if isInstalled { fetches = window } }

  func fetchDue(_ turn: Turn) -> Moment { window?.due(turn.surroundings, turn.policy) ?? .never }

  func mayFetch(_ turn: Turn) -> Bool {
    window.map { $0.opens(turn.surroundings, turn.policy) <= turn.now } ?? false
  }

  /// The program fetches when it has come.
  mutating func startForFetch(_ turn: Turn) {
    fetches?.ran(at: turn.now)
    starts(for: Launch(.fetch), turn.policy)
  }

  func mustRun(_ turn: Turn) -> Bool { owesKeepAlive(at: turn.now) || fetchDue(turn) <= turn.now }

  /// One that waits after a crash is started anyhow.
  private var window: FetchWindow? { state == .ended ? fetches : nil }
}
