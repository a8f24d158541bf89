import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire

/// The owner of lull-guard in lulld. Without a guard, nobody would thaw the programs if this process died:
/// then no program is put to sleep, and those that sleep are woken.
final class GuardSupervisor {
  private let policy: SupervisionPolicy
  private let journal: Journal
  private var process: GuardProcess
  /// Until then the guard may tell of the lines of the daemon before this one; nil once it has told of all.
  private var restoringUntil: Int64?
  private var retryAt: Int64?

  /// `first` is the guard that started this process.
  init(
    _ first: GuardProcess.Candidate?, policy: SupervisionPolicy, journal: Journal, reactor: DaemonReactor,
    launcher: @escaping GuardProcess.Launcher
  ) {
    (self.policy, self.journal) = (policy, journal)
    process = GuardProcess(first, policy: policy, journal: journal, reactor: reactor, launcher: launcher)
    if first != nil { restoringUntil = Clock.boottime() + policy.restoring.nanoseconds }
  }

  var isThere: Bool { process.link != nil }

  /// Nil while there is no guard, or it is in another pid namespace.
  var pid: Int32? { process.pid }

  var isWatching: Bool { process.isWatching }

  /// True while the guard may still tell of lines of the daemon before this one: no client is served.
  var isRestoring: Bool { restoringUntil != nil }

  func mayFreeze() -> Bool { process.mayFreeze() }

  // MARK: Messages to the guard

  func tell(_ verb: GuardVerb) { tell(Message(verb)) }

  func tell(_ message: Message, descriptor: DescriptorBox? = nil) {
    process.link?.tell(message, descriptor: descriptor)
  }

  func tellAnew(_ tell: () -> Void) { process.link?.tellAnew(tell) }

  // MARK: Messages of the guard

  func watchFirst() throws(SystemError) { try process.watchFirst() }

  /// A guard that gives way leaves when the new one has everything.
  func flush() -> [GuardOutcome] {
    guard let link = process.link else { return [] }
    link.flush()
    retryAt = link.needsRetry ? Clock.boottime() + policy.linkRetry.nanoseconds : nil
    if link.takeRefusal() { return [.storeAll] }
    if link.isDone { process.tellOtherToLeave() }
    return []
  }

  func sendsOn(until limit: Int64) -> Bool {
    guard let link = process.link, !link.isDone, Clock.boottime() < limit else { return false }
    process.proceed()
    _ = try? Socket.poll(link.socket.raw, .writable, timeoutMilliseconds: 20)
    return true
  }

  func receive(into buffer: inout ReceiveBuffer) { _ = process.link?.receive(into: &buffer) }

  /// The outcomes of a message, or of the guard's end, are carried out before the next message is read.
  func next() -> [GuardOutcome]? {
    guard let link = process.link else { return nil }
    guard let (message, descriptor) = link.nextMessage() else { return link.inputEnd == nil ? nil : gone() }
    return take(message, descriptor)
  }

  private func take(_ message: Message, _ descriptor: DescriptorBox?) -> [GuardOutcome] {
    switch GuardVerb(rawValue: message.verb) {
    case .keepLine:
      if let line = try? KeptLine(message), let descriptor { return [.keepLine(line, descriptor)] }
    case .sound:
      let pid = (try? message.integer(.pid)).flatMap(Int32.init(exactly:))
      if let descriptor { return [.sound(descriptor, pid: pid)] }
    case .full:
      journal.note(
        program: message[.name], what: "guard-full", detail: message[.detail])
    case .thawed:
      journal.note(
        program: nil, what: Journal.Entry.guardThaw,
        detail: "lulld stood still; lull-guard let every program go on")
      return [.wakeSleepers]
    case .begin:
      process.begins()
      restoringUntil = nil
    case .anew, .dropLine, .upgrading, .stopping, .leave, nil: break
    }
    return []
  }

  // MARK: The life of the guard

  /// Another guard is started at once, or later when guards flap; in an upgrade the old one may still be
  /// there.
  private func gone() -> [GuardOutcome] {
    (restoringUntil, retryAt) = (nil, nil)
    if process.goBack() {
      let reason = "lull-guard ended as soon as it watched"
      return [.launched(pid: process.pid ?? 0), .storeAll, .unchanged(reason)]
    }
    let isChanging = process.endChange()
    let isDue = process.ended()
    return [isDue ? .launch : .wakeSleepers] + (isChanging ? [.unchanged("lull-guard ended")] : [])
  }

  var deadline: Int64? {
    [restoringUntil, process.deadline, process.changeDeadline, retryAt].compactMap(\.self).min()
  }

  func timeIsUp() -> [GuardOutcome] {
    let now = Clock.boottime()
    if let limit = restoringUntil, limit <= now { restoringUntil = nil }
    if let limit = process.changeDeadline, limit <= now {
      return process.giveUpOther().map { [.unchanged($0)] } ?? []
    }
    guard let deadline = process.deadline, deadline <= now else { return [] }
    guard !process.isMissing else { return [.launch] }
    process.kill()
    return gone()
  }

  func launch() -> [GuardOutcome] {
    process.launch().map { [.launched(pid: $0.pid), .storeAll] } ?? [.wakeSleepers]
  }

  func childrenChanged() { process.childrenChanged() }

  func watchForRoom() { process.watchForRoom() }

  func remarks() -> [RemarkItem] { process.isMissing ? [RemarkItem(.guardMissing)] : [] }

  // MARK: The change to another guard, in an upgrade

  /// The present guard gives way to that of the folder; `replaced` or `unchanged` follows.
  func change(to folder: String) throws(SystemError) { try process.change(to: folder) }

  func receiveOfOther(into buffer: inout ReceiveBuffer) { _ = process.otherLink?.receive(into: &buffer) }

  func nextOfOther() -> [GuardOutcome]? {
    guard let link = process.otherLink else { return nil }
    guard let (message, descriptor) = link.nextMessage() else {
      return link.inputEnd == nil ? nil : [process.otherEnded().map { .unchanged($0) } ?? .replaced]
    }
    guard message.verb == GuardVerb.begin.rawValue else { return take(message, descriptor) }
    return process.goOver() ? [.launched(pid: process.pid ?? 0), .storeAll] : []
  }
}

enum GuardOutcome {
  case keepLine(KeptLine, DescriptorBox)
  /// The way to the lull-audio of the daemon before this one, which plays on, and its number.
  case sound(DescriptorBox, pid: Int32?)
  /// The guard has thawed every program, or no guard would thaw them if this process died.
  case wakeSleepers
  case storeAll
  case launch
  case launched(pid: Int32)
  /// The guard of the upgrade watches, and the one before has left.
  case replaced
  /// The guard of the upgrade does not serve, for this reason; the one before goes on.
  case unchanged(String)
}
