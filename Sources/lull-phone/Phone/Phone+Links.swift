import Lull

extension Phone {
  static let schemes = ["sip", "tel"]

  /// Calls the one that a link names, once the connection is open.
  func application(_ application: Application, open url: String) {
    signals.collect()
    if case .idle = calls.state, case .free = call {
      console.event("Link: \(url)")
      wish = .somebody(url)
      if stream?.status == .open { dialWish(application) } else if stream == nil { connectAnew(application) }
    } else {
      console.event("Busy: the phone is in a call")
    }
    finish(application)
  }

  /// Forgets the link without a connection: its user does not expect the call at a later time.
  func giveUpLink() {
    guard case .somebody(let url) = wish else { return }
    wish = nil
    console.trouble("Had error: no connection to call \(url)")
  }
}
