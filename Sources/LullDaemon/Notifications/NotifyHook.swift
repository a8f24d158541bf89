import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire

/// The executable `notify` in the configuration folder: the way of a notification to a person where there is
/// no desktop. It is run for each one that is shown or withdrawn, with its fields in the environment.
final class NotifyHook {
  private static let name = "notify"

  private let journal: Journal
  private let time: Interval
  private let folder: String?
  private var runs: ShortRuns
  /// Notifications that were not told, of which the journal has not said so yet.
  private var dropped = 0
  private var isRefused = false

  init(_ services: SharedServices) {
    let policy = services.policy
    (journal, time) = (services.journal, policy.notifyRunTime)
    folder = ConfigurationDirectory.path()
    runs = ShortRuns(
      most: policy.notifyRunsAtOnce, mostWaiting: policy.waitingNotifyRuns,
      time: time.nanoseconds / services.options.clockRate,
      openFileLimit: services.options.openFileLimit, journal: journal)
  }

  private var path: String? { folder.map { "\($0)/\(Self.name)" } }

  func shown(_ id: NotificationID, of program: String, _ content: LocalNotification) {
    var fields = ["EVENT=shown", "NOTIFICATION=\(id.number)", "PROGRAM=\(program)", "BODY=\(content.body)"]
    if let title = content.title { fields.append("TITLE=\(title)") }
    if let action = content.action { fields.append("ACTION=\(action)") }
    if let sound = content.sound { fields.append("SOUND=\(sound.word)") }
    if content.rings { fields.append("CALL=yes") }
    add(id, fields, isUrgent: content.isCall)
  }

  func withdrawn(_ id: NotificationID) {
    add(id, ["EVENT=withdrawn", "NOTIFICATION=\(id.number)"], isUrgent: false)
  }

  private func add(_ id: NotificationID, _ fields: [String], isUrgent: Bool) {
    guard let path else { return }
    // A script that prints a text must not be made to steer its terminal.
    let entries = fields.map { "LULL_" + Printable.text($0) }
    let run = ShortRun(subject: "\(id.number)", arguments: [path], environment: entries, isUrgent: isUrgent)
    if runs.add(run) != nil { dropped += 1 }
  }

  func start() {
    guard runs.isWaiting, let folder, let path else { return }
    do {
      guard try Files.isOwnExecutable(Self.name, in: folder) else { return refuse(path) }
    } catch {
      return runs.clear()
    }
    isRefused = false
    note(runs.start())
    // A flood is told once, when it is over: each turn of it leaves out a few.
    guard dropped > 0, !runs.isWaiting else { return }
    defer { dropped = 0 }
    note("notify-dropped", .init(.hookFlooded, count: dropped, text: path))
  }

  private func refuse(_ path: String) {
    runs.clear()
    guard !isRefused else { return }
    isRefused = true
    note(Journal.Entry.notTold, .init(.hookUnsafe, text: path))
  }

  var deadline: Int64? { runs.deadline }

  func timeIsUp() { runs.endOverdue(at: Clock.boottime()) }

  func childrenChanged() { note(runs.childrenChanged()) }

  private func note(_ ends: [(ShortRun, ShortRuns.End)]) {
    for (run, end) in ends {
      let path = run.arguments[0]
      switch end {
      case .ended(.exited(0)), .ended(.unknown): break
      case .ended(let status):
        note(Journal.Entry.notTold, .init(.hookEnded, text: path, error: status.words))
      case .overdue: note(Journal.Entry.notTold, .init(.hookOverdue, seconds: time.seconds, text: path))
      case .failed(let error):
        note(Journal.Entry.notTold, .init(.hookNotRun, text: path, error: error.message))
      }
    }
  }

  private func note(_ what: String, _ why: Explanation) {
    journal.note(program: nil, what: what, why)
  }
}
