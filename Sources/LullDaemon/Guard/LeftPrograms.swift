import LullEngine
import LullSystem
import LullWire

/// Programs that are left running, because lulld died again and again when it took them back.
struct LeftPrograms {
  private struct Entry {
    let name: String
    let pid: Int32
    let pidfd: DescriptorBox

    func hasEnded(_ journal: Journal) -> Bool {
      let readiness = journal.ignoring(
        [], try Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: 0))
      return readiness?.isEmpty == false
    }
  }

  private var entries: [Entry] = []

  mutating func add(_ message: Message, pidfd: DescriptorBox, journal: Journal) {
    guard let name = message[.name], let pid = message.pid else { return }
    entries.append(Entry(name: name, pid: pid, pidfd: pidfd))
    journal.note(at: Clock.realtime(), program: name, what: "left-running")
  }

  /// True for a program that is left running.
  func hold(_ name: String) -> Bool { entries.contains { $0.name == name } }

  /// Removes the programs that have ended since; returns their names.
  mutating func takeEnded(_ journal: Journal) -> [String] {
    let ended = entries.filter { $0.hasEnded(journal) }
    entries.removeAll { entry in ended.contains { $0.pid == entry.pid } }
    return ended.map(\.name)
  }

  func remarks(_ policy: SupervisionPolicy) -> [String] { entries.map { remark(on: $0, policy) } }

  func remark(on name: String, _ policy: SupervisionPolicy) -> String? {
    entries.first { $0.name == name }.map { remark(on: $0, policy) }
  }

  private func remark(on left: Entry, _ policy: SupervisionPolicy) -> String {
    "\(left.name) (pid \(left.pid)) is left running and not managed: lulld died "
      + "\(policy.maximumDeaths) times when it took it back; end it, and start it again with `lull run`"
  }
}
