import LullEngine
import LullGuard
import LullSystem
import LullWire

/// The owner of what notifications sound like: at most one of them is heard, by a process of its own. The
/// newest call comes first; other sounds are heard once, one at a time, and not while a call rings.
final class Alerts {
  private struct Sounding {
    var alert: Alert
    let process: AlertProcess
    /// On CLOCK_BOOTTIME. The audio session must be open by then; nil when it is, or may take its time.
    var opensBy: Int64?
  }

  private struct Ending {
    let process: AlertProcess
    var killAt: Int64?
  }

  private static let notStarted: ClosedRange<Int32> = 126...127

  private let clock: EngineClock
  private let policy: Policy
  private let journal: Journal
  private let reactor: DaemonReactor
  private let launch: (Alert) throws(SystemError) -> AlertProcess
  private var calls = RingingCalls()
  /// A sound that is no ringtone, from its notification to its end.
  private var chime: Alert?
  private var sounding: Sounding?
  private var ending: [Ending] = []
  private var notBefore: Int64 = 0

  init(
    _ clock: EngineClock, _ policy: Policy, journal: Journal, reactor: DaemonReactor,
    launch: @escaping (Alert) throws(SystemError) -> AlertProcess
  ) {
    (self.clock, self.policy, self.journal) = (clock, policy, journal)
    (self.reactor, self.launch) = (reactor, launch)
  }

  // MARK: Notifications

  /// Also in place of an earlier notification. `settle` lets it be heard.
  func show(_ notification: NotificationID, _ content: LocalNotification, of program: String?) {
    guard let sound = content.sound else { return withdraw(notification) }
    let ends = content.isCall ? clock.now() + policy.ringingLimit : nil
    let alert = Alert(notification: notification, program: program, sound: sound, ends: ends)
    if alert.isCall {
      calls.add(alert)
      chime = nil
    } else {
      calls.remove(notification)
      // A flood of sounds is one sound, the newest's: an older notification may be withdrawn for the newer.
      guard chime.map({ $0.sound == sound }) ?? (Clock.boottime() >= notBefore), calls.newest == nil else {
        return
      }
      chime = alert
    }
  }

  func withdraw(_ notification: NotificationID) {
    calls.remove(notification)
    if chime?.notification == notification { chime = nil }
  }

  func silence() {
    calls.removeAll()
    chime = nil
  }

  /// Called at the end of a turn.
  func settle() {
    calls.expire(at: clock.now())
    let wanted = calls.newest ?? chime
    if let sounding, !isHeard(wanted, in: sounding) { end(sounding.process) }
    guard let wanted else { return }
    guard sounding == nil else {
      sounding?.alert = wanted
      return
    }
    if Clock.boottime() >= notBefore { start(wanted) }
  }

  /// A call that came later and sounds the same goes on ringing.
  private func isHeard(_ wanted: Alert?, in sounding: Sounding) -> Bool {
    wanted.map { $0.sound == sounding.alert.sound && $0.isCall == sounding.alert.isCall } ?? false
  }

  // MARK: lull-player alert

  private func start(_ alert: Alert) {
    let now = Clock.boottime()
    notBefore = now + policy.supervision.alertPause.nanoseconds
    // A default sound that opens no session in time is not given up: no other sound could take its place.
    let opensBy =
      alert.sound == .default ? nil : now + policy.supervision.alertOpening.nanoseconds
    do throws(SystemError) {
      let process = try launch(alert)
      sounding = Sounding(alert: alert, process: process, opensBy: opensBy)
      try process.watch(in: reactor)
    } catch {
      giveUp(alert, .init(.playerNotStarted, error: "\(error)"))
      if let sounding { end(sounding.process) }
    }
  }

  private func end(_ process: AlertProcess) {
    sounding = nil
    journal.ignoring(.ended, try process.process.send(Signal.terminate))
    ending.append(
      Ending(process: process, killAt: Clock.boottime() + policy.supervision.alertEnding.nanoseconds))
  }

  func isRinging(_ pid: Int32) -> Bool {
    sounding.map { $0.process.process.pid == pid && $0.alert.isCall } ?? false
  }

  func opened(by pid: Int32) {
    if sounding?.process.process.pid == pid { sounding?.opensBy = nil }
  }

  func spoke(_ buffer: inout ReceiveBuffer) {
    ending.removeAll { hasEnded($0.process, buffer: &buffer, alert: nil) != nil }
    guard let alert = sounding?.alert, let process = sounding?.process,
      let status = hasEnded(process, buffer: &buffer, alert: alert)
    else { return }
    sounding = nil
    // The sound may stand for a newer notification by now.
    if !alert.isCall, chime?.sound == alert.sound { chime = nil }
    switch status {
    case .exited(0): break
    // The player has said why it cannot play.
    case .exited(1): withdraw(alert.notification)
    case .exited(let code) where Self.notStarted.contains(code):
      giveUp(alert, .init(.playerMissing))
    case .exited, .signaled, .unknown: failed(alert, .init(.playerEnded, error: status.words))
    }
  }

  private func hasEnded(
    _ process: AlertProcess, buffer: inout ReceiveBuffer, alert: Alert?
  ) -> ExitStatus? {
    let complaints = process.takeComplaints(&buffer, in: reactor, journal)
    if let alert { for complaint in complaints { note(complaint, of: alert) } }
    guard let status = process.status(journal) else { return nil }
    process.close(in: reactor)
    return status
  }

  /// A file that ended the process, or held it up, gives way to the default sound.
  private func failed(_ alert: Alert, _ why: Explanation) {
    guard alert.sound != .default else { return giveUp(alert, why) }
    var why = why
    why.text = alert.sound.word
    note(why.line, of: alert)
    let plain = Alert(
      notification: alert.notification, program: alert.program, sound: .default, ends: alert.ends)
    if !alert.isCall { chime = plain } else if calls.newest == alert { calls.add(plain) }
    notBefore = 0
  }

  private func giveUp(_ alert: Alert, _ why: Explanation) {
    note(why.line, of: alert)
    withdraw(alert.notification)
  }

  private func note(_ text: String, of alert: Alert) {
    journal.note(program: alert.program, what: "alert-trouble", detail: text)
  }

  // MARK: Time

  var deadline: Int64? {
    let waits = sounding == nil && (calls.newest ?? chime) != nil
    let ringingEnds = calls.deadline == .never ? nil : clock.boottime(at: calls.deadline)
    return (ending.map(\.killAt) + [sounding?.opensBy, ringingEnds, waits ? notBefore : nil])
      .compactMap(\.self).min()
  }

  /// `settle` does the rest.
  func timeIsUp() {
    let now = Clock.boottime()
    for index in ending.indices where ending[index].killAt.map({ $0 <= now }) ?? false {
      ending[index].killAt = nil
      journal.ignoring(.ended, try ending[index].process.process.send(Signal.kill))
    }
    guard let sounding, let opensBy = sounding.opensBy, opensBy <= now else { return }
    end(sounding.process)
    if chime == sounding.alert { chime = nil }
    failed(sounding.alert, .init(.playerSilent))
  }
}

struct Alert: Equatable {
  let notification: NotificationID
  let program: String?
  let sound: NotificationSound
  /// Nil for a sound that is no call's, which is heard once.
  let ends: Moment?

  var isCall: Bool { ends != nil }
}

/// The calls that ring, the newest last: that one is heard. When it is over the one before goes on.
struct RingingCalls {
  /// More than anybody has waiting; the oldest gives way.
  private static let limit = 16
  private var calls: [Alert] = []

  var newest: Alert? { calls.last }

  var deadline: Moment { calls.compactMap(\.ends).min() ?? .never }

  /// A call that rings already goes on, unless its sound is another one now.
  mutating func add(_ call: Alert) {
    if calls.contains(where: { $0.notification == call.notification && $0.sound == call.sound }) { return }
    remove(call.notification)
    calls.append(call)
    calls.removeFirst(max(0, calls.count - Self.limit))
  }

  mutating func remove(_ notification: NotificationID) {
    calls.removeAll { $0.notification == notification }
  }

  mutating func removeAll() { calls = [] }

  mutating func expire(at now: Moment) { calls.removeAll { $0.ends.map { $0 <= now } ?? false } }
}
