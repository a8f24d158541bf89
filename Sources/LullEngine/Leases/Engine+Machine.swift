extension App {
  /// True while the program handles what woke it, with the tasks that it began for that, or is in a
  /// call, also one that rings.
  var holdsMachine: Bool {
    guard isStaying else { return false }
    // A call that rings is the conversation of an unmanaged client; its program may sleep meanwhile.
    guard !registration.isUnmanaged else { return callLease != nil }
    if wakeLease != nil || keepAliveLease != nil { return true }
    if state == .background, !tasks.isEmpty { return true }
    return !playbacks.isEmpty && (isRecording || callLease != nil)
  }
}

extension Engine {
  /// True while the machine must stay up for a program.
  public var holdsMachine: Bool { machine.count > 0 }

  /// True while a program that is awake has a delegate message and has not answered it.
  public var isTelling: Bool { apps.first { $0.isAwake && !$0.mail.isEmpty } != nil }
}
