import LullChannel
import LullEngine
import LullWire

/// The notifications that lull-guard keeps for the next lulld, each as a text line.
final class NotificationStore {
  private struct Entry {
    let notification: String
    let state: String
    let message: Message

    func isThat(of message: Message) -> Bool {
      notification == message[.notification] && state == message[.state]
    }
  }

  private var entries: [Entry] = []
  /// True when a daemon has told of its notifications, whether or not any are left. What the disk has is
  /// older then.
  private(set) var isTold = false
  /// The number of times in a row that the daemon died soon after it had taken them back.
  private var deaths = 0

  func take(_ verb: GuardVerb, _ message: Message) {
    isTold = true
    entries.removeAll { $0.isThat(of: message) }
    guard verb == .keep, let notification = message[.notification], let state = message[.state] else {
      return
    }
    entries.append(Entry(notification: notification, state: state, message: message))
  }

  /// Everything, as the daemon told it.
  var items: [ServiceStore.Item] { entries.map { .init(message: $0.message, descriptor: nil) } }

  /// Empties the store: the daemon tells of everything anew.
  func clear() { (entries, isTold) = ([], true) }

  /// Hands everything to a new daemon.
  func restore(over link: MessageChannel) {
    for entry in entries { link.tell(entry.message) }
  }

  /// The daemon died after this number of nanoseconds. One that dies of them again and again gets them no
  /// longer: it has others to serve.
  func daemonDied(after life: Int64, _ policy: SupervisionPolicy) {
    deaths = life < policy.provingTime.nanoseconds ? deaths + 1 : 0
    if deaths >= 2 * policy.maximumDeaths { clear() }
  }
}
