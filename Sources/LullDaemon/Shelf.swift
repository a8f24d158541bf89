import LullSystem
import LullWire

/// What lull-guard keeps for the next lulld: for each program the line that describes it and its pidfd.
struct Shelf {
  private struct Item {
    let name: String
    let pid: Int64
    var message: Message
    let pidfd: DescriptorBox
  }

  /// Marks a program whose end only its pidfd tells.
  static let foreign = Field("foreign", nil)

  /// Marks a command that is never to be frozen.
  static let spared = Field("spared", nil)

  private var items: [Item] = []

  mutating func store(_ message: Message, _ pidfd: DescriptorBox) {
    guard let name = message[.name], let pid = try? message.integer(.pid) else { return }
    items.removeAll { $0.name == name }
    items.append(Item(name: name, pid: pid, message: message, pidfd: pidfd))
  }

  mutating func forget(_ message: Message) {
    items.removeAll { $0.name == message[.name] }
  }

  /// Notes the end of a program; the message that tells the daemon of it, when it is a known one.
  mutating func reaped(_ pid: Int32, _ status: ExitStatus) -> Message? {
    guard let index = items.firstIndex(where: { $0.pid == Int64(pid) }) else { return nil }
    items[index].message = adding(status, to: items[index].message)
    return adding(status, to: Message("reaped").adding(.pid, pid))
  }

  private func adding(_ status: ExitStatus, to message: Message) -> Message {
    switch status {
    case .exited(let code): message.adding(.status, code)
    case .signaled(let signal): message.adding(.signal, signal)
    }
  }

  /// Hands everything to a new daemon. Programs that registered themselves come back by themselves.
  mutating func restore(over link: GuardLink) {
    items.removeAll { $0.message[.managed] != Vocabulary.Management.command.rawValue }
    for item in items {
      var message = item.message.fields.reduce(Message("restore")) { $0.adding($1) }
      // The children of a daemon that another guard started go to init when it dies: nobody here learns their status.
      if (try? Process.parentPid(of: Int32(truncatingIfNeeded: item.pid))) != Identity.pid() {
        message = message.adding(Self.foreign)
      }
      link.tell(message, descriptor: item.pidfd.raw)
    }
    link.tell(Message("begin"))
  }

  /// Where there is no freezer, programs were stopped by signal.
  func continueStopped() {
    for item in items where item.message[.suspender] == Vocabulary.Suspender.signal.rawValue {
      if item.message[.managed] == Vocabulary.Management.command.rawValue {
        try? Process.kill(group: Int32(truncatingIfNeeded: item.pid), Signal.continue)
      } else {
        try? Process.sendSignal(item.pidfd.raw, Signal.continue)
      }
    }
  }
}
