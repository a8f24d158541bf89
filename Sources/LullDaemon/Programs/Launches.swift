import LullEngine
import LullGuard
import LullSystem
import LullWire

/// The programs that are being started again for somebody, each by a `lull start`, and what they are to hear
/// beside the reason of their launch.
final class Launches {
  private struct Launch {
    let name: String
    /// The moment from which it counts as failed, on CLOCK_BOOTTIME.
    let until: Int64
    /// The links that came since.
    var links: [String] = []
  }

  /// A launch that has failed.
  struct Failure: Equatable {
    let name: String
    /// True for a mistake in its file, or a command that is gone: another try would fail as well.
    var isMistake = false
  }

  /// EX_CONFIG of sysexits.h, and what a shell gives for a command that is gone or cannot be executed: the
  /// statuses of `lull start` for what somebody must mend.
  private static let mistakes: [ExitStatus] = [.exited(78), .exited(126), .exited(127)]
  /// The name that `lull` puts before what it says.
  private static let ownName = "lull: "

  /// The links for a program that is on its way: as many as the engine takes for one.
  private let mostLinks: Int
  /// The time from the launch to the registration, in nanoseconds.
  private let time: Int64

  private let journal: Journal
  private var runs: ShortRuns
  /// Oldest first.
  private var underWay: [Launch] = []
  /// The programs whose launches have failed.
  private var failures: [Failure] = []
  /// Why the last launch of a program failed.
  private var troubles: [String: String] = [:]
  /// What the journal said last of the launches of a program that has not registered since.
  private var told: [String: String] = [:]

  init(_ services: SharedServices) {
    let policy = services.policy.supervision
    (mostLinks, time) = (services.policy.maximumLinks, policy.launchTime.nanoseconds)
    journal = services.journal
    runs = ShortRuns(
      most: policy.launchesAtOnce, mostWaiting: policy.waitingLaunches, time: time,
      openFileLimit: services.options.openFileLimit, journal: journal)
  }

  /// Starts a program again. One that is on its way already is to hear of this link as well.
  ///
  /// False when too many links wait for it. Throws when there is no `lull` beside this program.
  func launch(_ name: String, _ launch: Request.Launch) throws(SystemError) -> Bool {
    troubles[name] = nil
    if let index = underWay.firstIndex(where: { $0.name == name }) {
      guard let url = launch.url else { return true }
      guard underWay[index].links.count < mostLinks else { return false }
      underWay[index].links.append(url)
      return true
    }
    var words = [
      try HelperProcess.path(of: "lull"), "start", "--reason", launch.reason.rawValue,
    ]
    if let line = launch.line { words.append("--line=\(line)") }
    if let url = launch.url { words.append("--url=\(url)") }
    if let answer = launch.answer {
      words += ["--notification", "\(answer.notification.number)", "--action=\(answer.action)"]
    }
    let run = ShortRun(
      subject: name, arguments: words + ["--", name], environment: [], isUrgent: launch.reason.isUrgent,
      keepsComplaint: true)
    let dropped = runs.add(run)
    underWay.append(Launch(name: name, until: Clock.boottime() + time))
    ended(dropped.map { [($0, .dropped)] } ?? [])
    ended(runs.start())
    return true
  }

  /// Starts an installed program whose turn it is; `takeFailure` tells a failure.
  func start(_ name: String, for reason: LaunchReason) {
    do {
      _ = try launch(name, Request.Launch(reason))
    } catch {
      failed(name, error.message)
    }
  }

  /// Why the last launch of a program failed; nil when it has not.
  func trouble(_ name: String) -> String? { troubles[name] }

  func isUnderWay(_ name: String) -> Bool { underWay.contains { $0.name == name } }

  /// The links for a program that has registered, beside the one that it was launched for.
  func arrived(_ name: String) -> [String] {
    told[name] = nil
    return underWay.firstIndex { $0.name == name }.map { underWay.remove(at: $0).links } ?? []
  }

  /// A program has ended. One that said nothing to Lull is started anew for the links that have come since.
  func ended(_ name: String) {
    let links = arrived(name)
    for url in links {
      do {
        _ = try launch(name, Request.Launch(.url, url: url))
      } catch {
        failed(name, error.message)
      }
    }
  }

  var deadline: Int64? { [runs.deadline, underWay.first?.until].compactMap(\.self).min() }

  func timeIsUp() {
    let now = Clock.boottime()
    runs.endOverdue(at: now)
    while let first = underWay.first, first.until <= now {
      underWay.removeFirst()
      add(Failure(name: first.name))
      // A command that says nothing to Lull was told all in its environment.
      guard !first.links.isEmpty else { continue }
      failed(first.name, "it did not register in time to hear of \(first.links.count) more links")
    }
  }

  func childrenChanged() {
    ended(runs.childrenChanged())
    ended(runs.start())
  }

  /// A program whose launch has failed.
  func takeFailure() -> Failure? { failures.isEmpty ? nil : failures.removeFirst() }

  private func ended(_ ends: [(ShortRun, ShortRuns.End)]) {
    for (run, end) in ends {
      if case .ended(.exited(0)) = end { continue }
      underWay.removeAll { $0.name == run.subject }
      let why =
        switch end {
        case .ended(let status): run.complaint.map(Self.plain) ?? "lull start \(run.subject): \(status.words)"
        case .dropped: "too many programs are to be started at once"
        case .overdue: "lull start \(run.subject): did not end in time"
        case .failed(let error): "\(run.arguments[0]): \(error.message)"
        }
      var isMistake = false
      if case .ended(let status) = end { isMistake = Self.mistakes.contains(status) }
      failed(run.subject, why, isMistake: isMistake)
    }
  }

  /// What `lull` says is told in the name of the program.
  private static func plain(_ complaint: String) -> String {
    complaint.hasPrefix(ownName) ? String(complaint.dropFirst(ownName.count)) : complaint
  }

  private func add(_ failure: Failure) {
    if !failures.contains(where: { $0.name == failure.name }) { failures.append(failure) }
  }

  private func failed(_ name: String, _ detail: String, isMistake: Bool = false) {
    add(Failure(name: name, isMistake: isMistake))
    troubles[name] = detail
    // One that is tried again and again has one entry.
    guard told[name] != detail else { return }
    told[name] = detail
    journal.note(at: Clock.realtime(), program: name, what: "launch-failed", detail: detail)
  }
}

extension LaunchReason {
  /// True for what must not wait behind the launches of a boot.
  fileprivate var isUrgent: Bool {
    switch self {
    case .user, .url, .notification, .data: true
    case .keepalive, .boot, .crash: false
    }
  }
}
