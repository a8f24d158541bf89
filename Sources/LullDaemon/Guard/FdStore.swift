import LullChannel
import LullEngine
import LullSystem
import LullWire

/// The fd store of lull-guard for the next lulld: for each program its description as a text line, and its
/// pidfd.
final class FdStore {
  /// The progress of the daemon with a program that was handed to it.
  private enum Standing {
    /// Nothing is under way.
    case settled
    /// The program is handed over and not taken yet: whatever comes, the daemon is at the first of these.
    case handed
    /// The program is taken back; its first freeze is still to come.
    case restored
    /// The program is in its first freeze.
    case trying
  }

  private struct Entry {
    let name: String
    let pid: Int64
    var message: Message
    let pidfd: DescriptorBox
    var standing = Standing.settled
    /// The number of times that the daemon died of it, one after the other.
    var deaths = 0
  }

  private let capacity: Int
  private let policy: SupervisionPolicy
  private var entries: [Entry] = []
  /// The way to a lull-audio that plays on until the next daemon's takes its sessions over.
  private var sound: DescriptorBox?

  /// A store with room for this number of programs, each of which takes a descriptor.
  init(capacity: Int, _ policy: SupervisionPolicy) { (self.capacity, self.policy) = (capacity, policy) }

  /// False when there is no room for another program.
  func store(_ message: Message, _ pidfd: DescriptorBox) -> Bool {
    guard let name = message[.name], let pid = try? message.integer(.pid) else { return true }
    var entry = Entry(name: name, pid: pid, message: message, pidfd: pidfd)
    if let old = entries.firstIndex(where: { $0.name == name }) {
      if entries[old].pid == pid {
        (entry.standing, entry.deaths) = (entries[old].standing, entries[old].deaths)
      }
      entries[old] = entry
      return true
    }
    guard entries.count < capacity else { return false }
    entries.append(entry)
    return true
  }

  func forget(_ message: Message) {
    entries.removeAll { $0.name == message[.name] }
  }

  func keepSound(_ descriptor: DescriptorBox) { sound = descriptor }

  /// The number of programs.
  var count: Int { entries.count }

  var isEmpty: Bool { entries.isEmpty }

  /// Everything, as the daemon told it.
  var items: [ServiceStore.Item] { entries.map { .init(message: $0.message, descriptor: $0.pidfd) } }

  /// Empties the store: the daemon tells of everything anew.
  func clear() { entries = [] }

  /// Hands everything to a new daemon, programs first: they may be frozen. Those that registered themselves
  /// come back by themselves.
  func restore(
    over link: MessageChannel, with notifications: NotificationStore = NotificationStore(),
    _ lines: LineStore = LineStore(capacity: 0), _ installed: InstalledStore = InstalledStore(),
    leave: DescriptorBox? = nil
  ) {
    entries.removeAll { $0.message[.managed] != Vocabulary.Management.command.rawValue }
    for index in entries.indices {
      let entry = entries[index]
      let isLeft = entry.deaths >= policy.maximumDeaths
      entries[index].standing = isLeft ? .settled : .handed
      link.tell(isLeft ? left(entry) : handed(entry), descriptor: entry.pidfd)
    }
    lines.restore(over: link)
    notifications.restore(over: link)
    installed.restore(over: link)
    if let sound { link.tell(Message(.sound), descriptor: sound) }
    sound = nil
    if let leave { link.tell(Message(.upgrading), descriptor: leave) }
    link.tell(Message(.begin).adding(flag: .earlier, if: notifications.isTold))
  }

  private func handed(_ entry: Entry) -> Message {
    entry.message.fields.reduce(Message(.restore)) { $0.adding($1) }
  }

  /// The message for a program that is left running. It has as few fields as possible: any of them may have
  /// ended the daemon.
  private func left(_ entry: Entry) -> Message {
    Message(.left).adding(.name, entry.name).adding(.pid, entry.pid)
  }
}

// The program that ended the daemon.
extension FdStore {
  /// Takes the progress that the daemon reports for a program.
  func noteProgress(_ verb: GuardVerb, of name: String?) {
    guard let index = entries.firstIndex(where: { $0.name == name }) else { return }
    switch verb {
    case .restored: entries[index].standing = .restored
    case .trying: entries[index].standing = .trying
    case .tried: (entries[index].standing, entries[index].deaths) = (.settled, 0)
    default: break
    }
  }

  /// The daemon died after this number of nanoseconds. Returns the name of a program that is left running
  /// from now on because of it.
  func daemonDied(after life: Int64) -> String? {
    let proved = life >= policy.provingTime.nanoseconds
    for index in entries.indices where proved && entries[index].standing == .restored {
      entries[index].deaths = 0
    }
    guard
      let blamed = entries.firstIndex(where: { $0.standing == .handed })
        ?? entries.firstIndex(where: { $0.standing == .trying })
    else { return nil }
    entries[blamed].deaths += 1
    return entries[blamed].deaths == policy.maximumDeaths ? entries[blamed].name : nil
  }

  /// Continues programs that were stopped by signal, where there is no freezer. The record names the rest of
  /// their processes. Without it, when the runtime directory is gone, only their first processes go on.
  func continueStopped() {
    for entry in entries where entry.message[.suspender] == Vocabulary.Suspender.signal.rawValue {
      Guard.log.ignoring(.ended, try Process.sendSignal(entry.pidfd.raw, Signal.continue))
    }
  }
}
