extension Engine {
  /// The installed programs, in the order of their names.
  public var installedPrograms: [InstalledView] { launching.entries.compactMap(\.view) }

  /// The installed program of that name.
  public func installed(_ name: String) -> InstalledView? { launching.find(name)?.view }

  /// True for a program that is being started, or has been and may still register.
  public func isOnItsWay(_ name: String) -> Bool { launching.find(name)?.isOnItsWay ?? false }

  /// True for a program whose lines are kept, and that is left to whoever is about to start it again.
  public func isLeftToOthers(_ name: String, at now: Moment) -> Bool {
    launching.find(name)?.isLeftToOthers(at: now) ?? false
  }
}

extension LaunchEntry {
  fileprivate var view: InstalledView? {
    guard isInstalled else { return nil }
    let (state, reason, starts): (InstalledState, LaunchReason, Moment?) =
      switch stage {
      case .running: (.running, lastReason, nil)
      case .starting(let launch, _): (.starting, launch.reason, nil)
      case .due(let launch): (.waiting, launch.reason, nil)
      case .waiting(let until, let reason): (hasFailed ? .failed : .waiting, reason, until)
      case .mistaken(let reason): (.mistake, reason, nil)
      case .ended: (.ended, keepAlive == nil ? lastReason : .keepalive, keepAlive?.due)
      case .quit: (.quit, lastReason, nil)
      }
    return InstalledView(
      name: name, state: state, reason: reason, crashes: crashes, starts: starts, memory: memory,
      past: past, lastKeepAliveRun: keepAlive?.lastRun)
  }
}
