extension Engine {
  /// The installed programs, in the order of their names.
  public var installedPrograms: [InstalledView] { installed.programs.map(\.view) }

  /// The installed program of that name.
  public func installed(_ name: String) -> InstalledView? { installed.find(name)?.view }
}

extension InstalledProgram {
  fileprivate var view: InstalledView {
    let (state, reason, starts): (InstalledState, LaunchReason, Moment?) =
      switch stage {
      case .running: (.running, lastReason, nil)
      case .starting(let reason): (.starting, reason, nil)
      case .due(let reason): (.waiting, reason, nil)
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
