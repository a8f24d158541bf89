import LullEngine
import LullSystem
import LullWire

// Messages of lulld.
extension Guard {
  /// Reads once, and carries out the messages that have come; false when nothing has come.
  @discardableResult
  func hear() -> Bool {
    guard child.isLinked else { return false }
    let hasCome = child.receive()
    while let (message, descriptor) = child.next() { carryOut(message, descriptor) }
    // The end of lulld is told a moment later.
    if !child.isLinked { chores.schedule(.yield, after: policy.daemonYield.nanoseconds) }
    return hasCome
  }

  func carryOut(_ message: Message, _ descriptor: DescriptorBox?) {
    guard let verb = GuardVerb(rawValue: message.verb) else { return }
    switch verb {
    case .store:
      guard let descriptor, !store.store(message, descriptor) else { return }
      child.tell(Message(.full).adding(.name, message[.name]))
    case .forget: store.forget(message)
    case .anew:
      store.clear()
      notifications.clear()
      lines.beginAnew()
      installed.clear()
    case .keep, .drop: notifications.take(verb, message)
    case .keepLine:
      guard let descriptor, !lines.keep(message, descriptor) else { return }
      child.tell(
        Message(.full).adding(.name, message[.program]).adding(
          .detail, "a kept line (\(message[.line] ?? ""))"))
    case .dropLine: lines.drop(message)
    case .keepInstalled, .dropInstalled: installed.take(verb, message)
    case .restored, .trying, .tried: store.noteProgress(verb, of: message[.name])
    case .stopping: expectEnd()
    case .become: become(message, link: descriptor)
    case .upgrading: startNext(descriptor)
    case .sound: if let descriptor { store.keepSound(descriptor) }
    case .restore, .left, .begin, .full, .unchanged, .thawed: break
    }
  }
}
