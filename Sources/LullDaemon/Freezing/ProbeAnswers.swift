import LullChannel
import LullEngine
import LullSystem

/// The connections that were taken from the queues of sleepers, until each is answered. They are few, and
/// none lives longer than a second.
final class ProbeAnswers {
  struct Outcome {
    let app: AppID
    let line: LineID
    let isAnswered: Bool
  }

  private struct Probe {
    let number: UInt64
    let app: AppID
    let line: LineID
    let rules: [ProbeRule]
    let connection: DescriptorBox
    let registration: Slot
    /// On CLOCK_BOOTTIME.
    let ends: Int64
    var bytes: [UInt8] = []
  }

  private let reactor: DaemonReactor
  private let policy: Policy
  private let journal: Journal
  private var buffer = ReceiveBuffer(capacity: ProbeRule.longestRequest)
  /// In the order of their numbers and their ends.
  private var probes: [Probe] = []
  private var last: UInt64 = 0

  init(_ reactor: DaemonReactor, _ policy: Policy, journal: Journal) {
    (self.reactor, self.policy, self.journal) = (reactor, policy, journal)
  }

  /// The number of connections that may be taken now.
  var room: Int { policy.maximumProbes - probes.count }

  var deadline: Int64? { probes.first?.ends }

  /// The connection is closed where it cannot be watched.
  func add(_ connection: DescriptorBox, on line: LineID, of app: AppID, by rules: [ProbeRule]) -> Bool {
    last += 1
    guard
      let registration = journal.ignoring(
        [], try reactor.add(connection.raw, .readable, as: .probe(last)))
    else { return false }
    probes.append(
      Probe(
        number: last, app: app, line: line, rules: rules, connection: connection,
        registration: registration, ends: Clock.boottime() + policy.probeTime.nanoseconds))
    return true
  }

  /// Nil while the question goes on.
  func ready(_ number: UInt64) -> Outcome? {
    guard let place = probes.firstIndex(where: { $0.number == number }) else { return nil }
    let raw = probes[place].connection.raw
    switch journal.ignoring(.closed, try Socket.read(raw, into: &buffer)) {
    case .bytes?:
      probes[place].bytes += buffer.received
      return judge(place, isOver: false)
    case .wouldBlock?: return nil
    case .endOfStream?, nil: return judge(place, isOver: true)
    }
  }

  func timeIsUp() -> [Outcome] {
    var outcomes: [Outcome] = []
    while let first = probes.first, first.ends <= Clock.boottime(), let outcome = judge(0, isOver: true) {
      outcomes.append(outcome)
    }
    return outcomes
  }

  private func judge(_ place: Int, isOver: Bool) -> Outcome? {
    let probe = probes[place]
    switch ProbeRule.verdict(on: probe.bytes, isOver: isOver, by: probe.rules) {
    case .incomplete: return nil
    case .answered(let answer): return close(place, answer, isAnswered: true)
    case .strange(let answer): return close(place, answer, isAnswered: false)
    }
  }

  /// All that came has been read: bytes that are unread at the close would break the connection off, and the
  /// answer with it.
  private func close(_ place: Int, _ answer: [UInt8], isAnswered: Bool) -> Outcome {
    let probe = probes.remove(at: place)
    if !answer.isEmpty { journal.ignoring(.closed, try Socket.write(probe.connection.raw, answer)) }
    reactor.remove(probe.registration)
    probe.connection.close()
    return Outcome(app: probe.app, line: probe.line, isAnswered: isAnswered)
  }

  func forget(_ app: AppID) {
    for probe in probes where probe.app == app { reactor.remove(probe.registration) }
    probes.removeAll { $0.app == app }
  }
}
