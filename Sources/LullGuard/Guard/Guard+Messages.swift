import LullEngine
import LullSystem
import LullWire

extension Guard {
  /// Reads once; false when nothing has come.
  @discardableResult
  func hear() -> Bool {
    guard child.isLinked else { return false }
    let hasCome = child.receive()
    while let (message, descriptor) = child.next() { carryOut(message, descriptor) }
    if !child.isLinked {
      // The end of a killed lulld is told only when all its descriptors are closed, some 50 ms later.
      frozen.thawAll()
      chores.schedule(.yield, after: policy.daemonYield.nanoseconds)
    }
    return hasCome
  }

  private func carryOut(_ message: Message, _ descriptor: DescriptorBox?) {
    switch GuardVerb(rawValue: message.verb) {
    case .begin: program.began()
    case .anew: lines.beginAnew()
    case .keepLine:
      guard let descriptor, !lines.keep(message, descriptor) else { return }
      let text = "a kept line (\(message[.line] ?? ""))"
      child.tell(Message(.full).adding(.name, message[.program]).adding(.detail, text))
    case .dropLine:
      lines.drop(message)
      if message[.line] == nil { isTold = true }
    case .sound: if let descriptor { sound = (message, descriptor) }
    case .upgrading: child.givesWay()
    case .stopping: expectEnd()
    case .leave: end(0)
    case .full, .thawed, nil: break
    }
  }
}
