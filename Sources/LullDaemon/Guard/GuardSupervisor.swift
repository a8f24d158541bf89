import LullChannel
import LullEngine
import LullSystem
import LullWire

/// The owner of lull-guard in lulld. Without a guard, nobody would thaw the programs if this process died:
/// then no program is put to sleep, and those that sleep are woken.
final class GuardSupervisor {
  private let policy: SupervisionPolicy
  private let journal: Journal
  private var process: GuardProcess
  private var left = LeftPrograms()
  /// Names of programs for which the guard had no room.
  private var refused: [String] = []
  /// The moment until which the guard may tell of the commands of the daemon before this one; nil once it has
  /// told of all.
  private var restoringUntil: Int64?
  /// The lulld before this one, where it waits until this one has everything.
  private var former: Former
  /// The moment at which what could not be sent to the guard is sent again.
  private var retryAt: Int64?

  private enum Former {
    case none, waits
    /// The guard has died before it had told everything: the former lulld goes on, and starts another one.
    case goesOn
  }

  /// `first` is the guard that started this process; `follows`: beside a lulld that waits for this one.
  init(
    _ first: GuardProcess.Candidate?, follows: Bool = false, policy: SupervisionPolicy, journal: Journal,
    reactor: DaemonReactor,
    launcher: @escaping GuardProcess.Launcher
  ) {
    (self.policy, self.journal) = (policy, journal)
    former = follows ? .waits : .none
    process = GuardProcess(first, policy: policy, journal: journal, reactor: reactor, launcher: launcher)
    if first != nil { restoringUntil = Clock.boottime() + policy.restoring.nanoseconds }
  }

  /// True when the guard has kept notifications since the machine's start, also when none of them is left:
  /// what the disk has is older.
  private(set) var hasKept = false

  var isThere: Bool { process.link != nil }

  /// The process of the guard; nil while there is none, or it is in another pid namespace.
  var pid: Int32? { process.pid }

  /// True when the guard has said that it watches.
  var isWatching: Bool { process.isWatching }

  /// True while the guard may still tell of commands of the daemon before this one: no client is served.
  var isRestoring: Bool { restoringUntil != nil }

  /// True when this process is to end at once: the lulld before it goes on.
  var isLeftToFormer: Bool { if case .goesOn = former { true } else { false } }

  /// True when the guard would thaw a program that is frozen now if this process died.
  func mayFreeze() -> Bool { process.mayFreeze() }

  // MARK: Messages to the guard

  func store(_ message: Message, _ pidfd: DescriptorBox) { process.link?.tell(message, descriptor: pidfd) }

  func tell(_ verb: GuardVerb, _ name: String? = nil) {
    process.link?.tell(Message(verb).adding(.name, name))
  }

  /// Tells the guard everything anew.
  func tellAnew(_ tell: () -> Void) {
    guard let link = process.link else { return }
    link.tellAnew(tell)
  }

  /// Keeps a notification for the next daemon, or no longer; or the way to lull-audio.
  func tell(_ message: Message, descriptor: DescriptorBox? = nil) {
    process.link?.tell(message, descriptor: descriptor)
  }

  /// Forgets a program that is gone, which makes room for another one if the guard kept something of it.
  func forget(_ name: String, wasKept: Bool) -> [GuardOutcome] {
    let makesRoom = wasKept && !refused.contains(name)
    refused.removeAll { $0 == name }
    tell(.forget, name)
    return makesRoom && !refused.isEmpty ? [.store(name: refused.removeFirst())] : []
  }

  // MARK: Messages of the guard

  /// Watches the link to the first guard.
  func watchFirst() throws(SystemError) { try process.watchFirst() }

  /// Sends what waits for the guard, at the end of a turn.
  func flush() -> [GuardOutcome] {
    guard let link = process.link else { return [] }
    link.flush()
    retryAt = link.needsRetry ? Clock.boottime() + policy.linkRetry.nanoseconds : nil
    return link.takeRefusal() ? [.storeAll] : []
  }

  /// Sends what waits for the guard, until a moment at most; false when nothing waits any more.
  func sendsOn(until limit: Int64) -> Bool {
    guard let link = process.link, !link.isDone, Clock.boottime() < limit else { return false }
    process.proceed()
    _ = try? Socket.poll(link.socket.raw, .writable, timeoutMilliseconds: 20)
    return true
  }

  /// Continues the guard, which may be stopped.
  func proceed() { process.proceed() }

  /// Reads what the guard has sent, for `next`.
  func receive(into buffer: inout ReceiveBuffer) { _ = process.link?.receive(into: &buffer) }

  /// The outcomes of the guard's next message, or of its end, to be carried out before the message after it
  /// is read; nil when there is no more.
  func next() -> [GuardOutcome]? {
    guard let link = process.link else { return nil }
    guard let (message, descriptor) = link.nextMessage() else { return link.inputEnd == nil ? nil : ended() }
    switch GuardVerb(rawValue: message.verb) {
    case .restore:
      if let program = descriptor.flatMap({ RestoredProgram(message, $0) }) { return [.restore(program)] }
      tell(.restored, message[.name])
    case .keep: if let notification = try? KeptNotification(message) { return [.keep(notification)] }
    case .keepLine:
      if let line = try? KeptLine(message), let descriptor { return [.keepLine(line, descriptor)] }
    case .keepInstalled: if let program = try? KeptInstalled(message) { return [.remember(program)] }
    case .left: if let descriptor { left.add(message, pidfd: descriptor, journal: journal) }
    case .full: return refuses(message[.name], message[.detail])
    case .thawed:
      journal.note(
        at: Clock.realtime(), program: nil, what: Journal.Entry.guardThaw,
        detail: "lulld stood still; lull-guard let every program go on")
      return [.wakeSleepers]
    case .sound: if let descriptor { return [.sound(descriptor)] }
    case .upgrading:
      former = .none
      if let descriptor { return [.release(descriptor)] }
    case .unchanged:
      process.staysAsItIs()
      return [.unchanged(message[.message] ?? "")]
    case .begin:
      guard !process.begins() else { return [.replaced] }
      restoringUntil = nil
      hasKept = (try? message.flag(.earlier)) ?? false
    default: break
    }
    return []
  }

  /// The guard has no room for a program or, with its detail, for a line.
  private func refuses(_ name: String?, _ detail: String?) -> [GuardOutcome] {
    journal.note(at: Clock.realtime(), program: name, what: "guard-full", detail: detail)
    guard detail == nil, let name else { return [] }
    if !refused.contains(name) { refused.append(name) }
    return [.full(name: name)]
  }

  // MARK: The life of the guard

  /// Has the guard become the lull-guard of a folder; `replaced` or `unchanged` follows.
  func become(in folder: String) throws(SystemError) { try process.become(in: folder) }

  /// Takes note of the end of the link: the guard has become another one, or is gone.
  private func ended() -> [GuardOutcome] {
    guard process.goOnWithSuccessor() else { return gone() }
    (refused, retryAt) = ([], nil)
    return [.storeAll]
  }

  /// Takes note that the guard is gone. Another one is started at once, or later when guards flap.
  private func gone() -> [GuardOutcome] {
    if case .waits = former { former = .goesOn }
    guard !isLeftToFormer else { return [] }
    let wasBecoming = process.isBecoming
    process.staysAsItIs()
    let isDue = process.ended()
    (refused, restoringUntil, retryAt) = ([], nil, nil)
    return [isDue ? .launch : .wakeSleepers]
      + (wasBecoming ? [.endedAsReplacement] : [])
  }

  /// The moment of the next deadline.
  var deadline: Int64? { [restoringUntil, process.deadline, retryAt].compactMap(\.self).min() }

  func timeIsUp() -> [GuardOutcome] {
    let now = Clock.boottime()
    if let limit = restoringUntil, limit <= now { restoringUntil = nil }
    guard let deadline = process.deadline, deadline <= now else { return [] }
    guard !process.isMissing else { return [.launch] }
    process.kill()
    return gone()
  }

  func launch() -> [GuardOutcome] {
    process.launch().map { [.launched(pid: $0.pid), .storeAll] } ?? [.wakeSleepers]
  }

  /// A child of this process has ended or was stopped.
  func childrenChanged() { process.childrenChanged() }

  /// Watches for room where the socket is full, at the end of a turn.
  func watchForRoom() { process.watchForRoom() }

  /// True for a program that runs and is left alone.
  func leaves(_ name: String) -> Bool { left.hold(name) }

  /// The remark on a program that runs and is left alone; nil for any other.
  func remark(onLeft name: String) -> String? { leaves(name) ? left.remark(on: name, policy) : nil }

  /// Remarks for the status of the daemon.
  func remarks() -> [String] {
    for name in left.takeEnded(journal) { tell(.forget, name) }
    let missing = "no lull-guard can be started: no program is put to sleep until there is one"
    return left.remarks(policy) + (process.isMissing ? [missing] : [])
  }
}
