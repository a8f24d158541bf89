import LullChannel
import LullEngine
import LullSystem
import LullWire

/// The lines that lull-guard keeps for the next lulld, each as a text line and a descriptor. Programs that
/// have ended have nothing else left of them.
final class LineStore {
  private struct Entry {
    let line: String
    let message: Message
    let descriptor: DescriptorBox
    /// It was kept before the daemon began to tell everything anew, and not told since.
    var isOld = false
  }

  private let capacity: Int
  private let closer = Closer()
  private var entries: [Entry] = []
  private var deaths = 0

  init(capacity: Int) { self.capacity = capacity }

  /// The line replaces the one of its number. False when there is no room for it.
  func keep(_ message: Message, _ descriptor: DescriptorBox) -> Bool {
    descriptor.closer = closer
    guard let line = message[.line] else { return true }
    let entry = Entry(line: line, message: message, descriptor: descriptor)
    if let index = entries.firstIndex(where: { $0.line == line }) {
      entries[index] = entry
      return true
    }
    guard entries.count < capacity else { return false }
    entries.append(entry)
    return true
  }

  /// Drops a line; without a number those that the daemon has not told of since `beginAnew`.
  func drop(_ message: Message) {
    guard let line = message[.line] else { return entries.removeAll(where: \.isOld) }
    entries.removeAll { $0.line == line }
  }

  /// The daemon tells of everything anew. It may die before it has done so, and then these are all there is.
  func beginAnew() { for index in entries.indices { entries[index].isOld = true } }

  var items: [ServiceStore.Item] { entries.map { .init(message: $0.message, descriptor: $0.descriptor) } }

  func restore(over link: MessageChannel) {
    for entry in entries { link.tell(entry.message, descriptor: entry.descriptor) }
  }

  /// The daemon died by a fault, after this number of nanoseconds. One that dies of them again and again gets
  /// them no longer: it has others to serve.
  func daemonDied(after life: Int64, _ policy: SupervisionPolicy) {
    deaths = life < policy.provingTime.nanoseconds ? deaths + 1 : 0
    if deaths >= 2 * policy.maximumDeaths { entries = [] }
  }
}
