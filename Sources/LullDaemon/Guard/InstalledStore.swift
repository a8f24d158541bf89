import LullChannel
import LullEngine
import LullWire

/// What lull-guard keeps of the installed programs for the next lulld, each as a text line: the state
/// directory may be full, and says less.
final class InstalledStore {
  private var entries: [(name: String, message: Message)] = []
  /// The number of times in a row that the daemon died soon after it had taken them back.
  private var deaths = 0

  /// Keeps what a message of the daemon says of a program, or forgets the program.
  func take(_ verb: GuardVerb, _ message: Message) {
    guard let name = message[.name] else { return }
    entries.removeAll { $0.name == name }
    if verb == .keepInstalled { entries.append((name, message)) }
  }

  /// Everything, as the daemon told it.
  var items: [ServiceStore.Item] { entries.map { .init(message: $0.message, descriptor: nil) } }

  /// Empties the store: the daemon tells of everything anew.
  func clear() { entries = [] }

  /// Hands everything to a new daemon.
  func restore(over link: MessageChannel) { for entry in entries { link.tell(entry.message) } }

  /// The daemon died after this number of nanoseconds. One that dies of them again and again gets them no
  /// longer: it has others to serve.
  func daemonDied(after life: Int64, _ policy: SupervisionPolicy) {
    deaths = life < policy.provingTime.nanoseconds ? deaths + 1 : 0
    if deaths >= 2 * policy.maximumDeaths { clear() }
  }
}
