import LullEngine

/// Delegate messages come in the order of Apple's guide (App States and Multitasking), one at a time, each in
/// its state.
final class MessageOrder: Rule {
  static let name = "message-order"
  private var last: [AppID: DelegateMessage] = [:]
  /// The programs that were asked to close their protected files.
  private var closed: [AppID] = []

  func answer(_ answer: Engine.Answer, _ ledger: Ledger) throws(Violation) {
    guard case .registered(let app, _) = answer else { return }
    // The answer to a program that was adopted before begins no launch.
    if case .adopt = ledger.request, ledger[app]?.registration.speaks == true { return }
    forget(app)
  }

  private func forget(_ app: AppID) {
    last[app] = nil
    closed.removeAll { $0 == app }
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .deliver(let app, let message, _):
      guard let record = ledger[app] else { return }
      try require(record.registration.speaks, "\(app) is a plain command and gets \(message)")
      try require(record.message == nil, "\(app) gets \(message) before the last message returned")
      try require(states(for: message).contains(record.state), "\(app): \(message) in state \(record.state)")
      guard try !isOfLock(message, to: app, ledger) else { return }
      try require(
        next(after: last[app], record).contains(message),
        "\(app): \(message) after \(String(describing: last[app]))")
      last[app] = message
    case .forget(let app): forget(app)
    default: break
    }
  }

  /// The messages of the lock come between the others, in turn, and as the lock is.
  private func isOfLock(
    _ message: DelegateMessage, to app: AppID, _ ledger: Ledger
  ) throws(Violation) -> Bool {
    switch message {
    case .protectedDataWillBecomeUnavailable:
      try require(!closed.contains(app) && ledger.isLocked, "\(app): \(message) without a lock")
      closed.append(app)
    case .protectedDataDidBecomeAvailable:
      try require(closed.contains(app) && !ledger.isLocked, "\(app): \(message) before the lock is gone")
      closed.removeAll { $0 == app }
    default: return false
    }
    return true
  }

  private func next(after last: DelegateMessage?, _ record: Record) -> [DelegateMessage] {
    let isForeground = record.registration.launch == .foreground
    switch last {
    case nil where record.registration.resumes == nil: return [.willFinishLaunching, .willTerminate]
    case nil: return [.didEnterBackground, .willResignActive, .willEnterForeground, .willTerminate]
    case .willFinishLaunching: return [.didFinishLaunching, .willTerminate]
    case .didFinishLaunching:
      // Behind the lock a program in the foreground does not become active.
      return [isForeground ? .didBecomeActive : .didEnterBackground, .didEnterBackground, .willTerminate]
    case .didBecomeActive: return [.willResignActive, .willTerminate]
    case .willResignActive where record.registration.settings.exitsOnSuspend:
      return [.didBecomeActive, .willTerminate]
    case .willResignActive: return [.didEnterBackground, .didBecomeActive, .willTerminate]
    case .didEnterBackground: return [.willEnterForeground, .willTerminate]
    case .willEnterForeground: return [.didBecomeActive, .didEnterBackground, .willTerminate]
    case .willTerminate, .protectedDataWillBecomeUnavailable, .protectedDataDidBecomeAvailable: return []
    }
  }

  private func states(for message: DelegateMessage) -> [ApplicationState] {
    switch message {
    case .willFinishLaunching, .didFinishLaunching: [.inactive, .background]
    case .didBecomeActive: [.active]
    case .willResignActive: [.active]
    case .didEnterBackground, .willEnterForeground: [.background]
    case .willTerminate: [.inactive, .active, .background]
    case .protectedDataWillBecomeUnavailable, .protectedDataDidBecomeAvailable: [.inactive, .background]
    }
  }
}
