import LullInspect
import LullSystem
import LullWire

extension KeptLines {
  func hasLines(of name: String) -> Bool { entries.contains { $0.record.program == name } }

  func items(of name: String?) -> [Message] {
    waiting(for: name).map(item)
  }

  private func waiting(for name: String?) -> [KeptEntry] {
    entries.filter { $0.isOffered && $0.record.isWaiting && (name == nil || $0.record.program == name) }
  }

  /// Nil where no line is kept.
  func text(of name: String) -> String? {
    let waiting = waiting(for: name)
    guard !waiting.isEmpty else { return nil }
    return "Lull keeps open for it: \(Self.named(waiting)). What comes there starts it, and "
      + "`lull start \(name)` gives it them; `lull quit \(name)` closes them"
  }

  static func named(_ lines: [KeptEntry]) -> String {
    let most = 4
    let rest = lines.count > most ? " and \(lines.count - most) more" : ""
    return lines.prefix(most).map(\.text).joined(separator: ", ") + rest
  }

  private func item(_ entry: KeptEntry) -> Message {
    let (record, description, rules) = (entry.record, entry.description, entry.record.offload.words)
    let unread = journal.ignoring(.unsupported, try Socket.unreadBytes(entry.descriptor.raw))
    let item = LineItem(of: record.program, id: record.id, description) {
      ($0.unread, $0.offload) = (unread.map { Int64($0) }, rules.isEmpty ? nil : rules)
      ($0.name, $0.isKept, $0.since) = (record.name, true, record.since?.seconds)
    }
    return item.message
  }
}
