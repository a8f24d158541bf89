import LullSystem
import LullWire

/// What lull-guard keeps for the next lulld: for each program the line that describes it and its pidfd.
struct Shelf {
  /// How far the daemon has come with a program that was handed to it.
  private enum Standing {
    /// Nothing is under way.
    case settled
    /// Handed over and not taken yet: whatever comes, the first of these is the one that the daemon is at.
    case handed
    /// Taken back; its first freeze is still to come.
    case restored
    /// In its first freeze.
    case trying
  }

  private struct Item {
    let name: String
    let pid: Int64
    var message: Message
    let pidfd: DescriptorBox
    var standing = Standing.settled
    /// How often the daemon died of it, one time after the other.
    var deaths = 0
  }

  /// Marks a program whose end only its pidfd tells.
  static let foreign = Field("foreign", nil)

  /// Marks a command that is never to be frozen.
  static let spared = Field("spared", nil)

  /// So often may the daemon die of a program before it is left running.
  static let maximumDeaths = 3
  /// A daemon that lived so long did not die of what it took back, in nanoseconds.
  static let provingTime: Int64 = 10_000_000_000

  private let capacity: Int
  private var items: [Item] = []

  /// Room for so many programs, each of which takes a descriptor.
  init(capacity: Int) { self.capacity = capacity }

  /// False when there is no room for another program.
  mutating func store(_ message: Message, _ pidfd: DescriptorBox) -> Bool {
    guard let name = message[.name], let pid = try? message.integer(.pid) else { return true }
    var item = Item(name: name, pid: pid, message: message, pidfd: pidfd)
    if let old = items.firstIndex(where: { $0.name == name }) {
      if items[old].pid == pid { (item.standing, item.deaths) = (items[old].standing, items[old].deaths) }
      items[old] = item
      return true
    }
    guard items.count < capacity else { return false }
    items.append(item)
    return true
  }

  mutating func forget(_ message: Message) {
    items.removeAll { $0.name == message[.name] }
  }

  /// Everything will be told anew.
  mutating func clear() { items = [] }

  /// Notes the end of a program; the message that tells the daemon of it, when it is a known one.
  mutating func reaped(_ pid: Int32, _ status: ExitStatus) -> Message? {
    guard let index = items.firstIndex(where: { $0.pid == Int64(pid) }) else { return nil }
    items[index].message = adding(status, to: items[index].message)
    return adding(status, to: Message(.reaped).adding(.pid, pid))
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
    for index in items.indices {
      let item = items[index]
      let isLeft = item.deaths >= Self.maximumDeaths
      items[index].standing = isLeft ? .settled : .handed
      link.tell(isLeft ? left(item) : handed(item), descriptor: item.pidfd)
    }
    link.tell(Message(.begin))
  }

  private func handed(_ item: Item) -> Message {
    let message = item.message.fields.reduce(Message(.restore)) { $0.adding($1) }
    // The children of a daemon that another guard started go to init when it dies: nobody here learns their status.
    guard (try? Process.parentPid(of: Int32(truncatingIfNeeded: item.pid))) != Identity.pid() else {
      return message
    }
    return message.adding(Self.foreign)
  }

  /// As little as possible: anything in its description may be what ended the daemon.
  private func left(_ item: Item) -> Message {
    Message(.left).adding(.name, item.name).adding(.pid, item.pid)
  }
}

// Who ended the daemon.
extension Shelf {
  /// The daemon has come so far with a program.
  mutating func heard(_ verb: GuardVerb, of name: String?) {
    guard let index = items.firstIndex(where: { $0.name == name }) else { return }
    switch verb {
    case .restored: items[index].standing = .restored
    case .trying: items[index].standing = .trying
    case .tried: (items[index].standing, items[index].deaths) = (.settled, 0)
    default: break
    }
  }

  /// The daemon died after so many nanoseconds. Returns the name of a program that is left running from now
  /// on because of it.
  mutating func daemonDied(after life: Int64) -> String? {
    let proved = life >= Self.provingTime
    for index in items.indices where proved && items[index].standing == .restored { items[index].deaths = 0 }
    guard
      let blamed = items.firstIndex(where: { $0.standing == .handed })
        ?? items.firstIndex(where: { $0.standing == .trying })
    else { return nil }
    items[blamed].deaths += 1
    return items[blamed].deaths == Self.maximumDeaths ? items[blamed].name : nil
  }

  /// Where there is no freezer, programs were stopped by signal. The record names the rest of their
  /// processes; without it, when the runtime directory is gone, their first ones go on.
  func continueStopped() {
    for item in items where item.message[.suspender] == Vocabulary.Suspender.signal.rawValue {
      try? Process.sendSignal(item.pidfd.raw, Signal.continue)
    }
  }
}

extension Message {
  /// A message between lulld and lull-guard.
  init(_ verb: GuardVerb) { self.init(verb.rawValue) }
}
