import LullEngine

extension InstalledView {
  /// `hasRun`: an end of the program is known; `trouble`: why it could not be started; `starters`: what may
  /// start it.
  func text(at now: Moment, hasRun: Bool, trouble: String?, starters: String?) -> String {
    let wait = starts.map { " in \(max(0, Int(($0 - now).seconds.rounded(.up)))) s" } ?? " in its turn"
    let start = "`lull start \(name)`"
    let why = trouble ?? "see `lull logs \(name)`"
    return switch state {
    case .running: "it runs"
    case .starting: "it is being started (\(reason.rawValue))"
    case .failed: "\(crashText ?? "could not be started"): \(why); tried again\(wait)"
    case .waiting where crashes > 0: "\(crashText ?? ""); started again\(wait); see `lull logs \(name)`"
    case .waiting: "it is started\(wait) (\(reason.rawValue))"
    case .mistake: "cannot be started: \(why); tried again when that has changed, and by \(start)"
    case .ended:
      (hasRun ? "" : "it has not run yet, as far as is known; ")
        + (starters.map { "it is started for \($0), and by" } ?? "it is started by")
        + " the next start of lulld and \(start)"
    case .quit: "it was quit, and nothing starts it but \(start)"
    }
  }

  var crashText: String? {
    guard crashes > 0 else { return nil }
    let times = crashes == 1 ? "once" : "\(crashes) times in a row"
    return state == .failed ? "could not be started, \(times)" : "has crashed \(times)"
  }
}
