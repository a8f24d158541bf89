import LullEngine

/// Delegate messages come in the order of Apple's guide (App States and Multitasking), one at a time, each in
/// its state.
final class MessageOrder: Rule {
  static let name = "message-order"
  private var last: [AppID: DelegateMessage] = [:]

  func answer(_ answer: Engine.Answer, _ ledger: Ledger) throws(Violation) {
    guard case .registered(let app, _) = answer else { return }
    // The answer to a program that was adopted before begins no launch.
    if case .adopt = ledger.request, ledger[app]?.registration.speaks == true { return }
    last[app] = nil
  }

  func effect(_ effect: Effect, _ ledger: Ledger) throws(Violation) {
    switch effect {
    case .deliver(let app, let message, _):
      guard let record = ledger[app] else { return }
      try require(record.registration.speaks, "\(app) is a plain command and gets \(message)")
      try require(record.message == nil, "\(app) gets \(message) before the last message returned")
      try require(
        next(after: last[app], record).contains(message),
        "\(app): \(message) after \(String(describing: last[app]))")
      try require(states(for: message).contains(record.state), "\(app): \(message) in state \(record.state)")
      last[app] = message
    case .forget(let app): last[app] = nil
    default: break
    }
  }

  private func next(after last: DelegateMessage?, _ record: Record) -> [DelegateMessage] {
    let isForeground = record.registration.launch == .foreground
    switch last {
    case nil where record.registration.resumes == nil: return [.willFinishLaunching, .willTerminate]
    case nil: return [.willResignActive, .willEnterForeground, .willTerminate]
    case .willFinishLaunching: return [.didFinishLaunching, .willTerminate]
    case .didFinishLaunching: return [isForeground ? .didBecomeActive : .didEnterBackground, .willTerminate]
    case .didBecomeActive: return [.willResignActive, .willTerminate]
    case .willResignActive where record.registration.exitsOnSuspend: return [.willTerminate]
    case .willResignActive: return [.didEnterBackground, .willTerminate]
    case .didEnterBackground: return [.willEnterForeground, .willTerminate]
    case .willEnterForeground: return [.didBecomeActive, .willTerminate]
    case .willTerminate: return []
    }
  }

  private func states(for message: DelegateMessage) -> [ApplicationState] {
    switch message {
    case .willFinishLaunching, .didFinishLaunching: [.inactive, .background]
    case .didBecomeActive: [.active]
    case .willResignActive: [.inactive]
    case .didEnterBackground, .willEnterForeground: [.background]
    case .willTerminate: [.inactive, .active, .background]
    }
  }
}
