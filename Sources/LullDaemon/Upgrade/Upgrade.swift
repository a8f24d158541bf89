import LullChannel
import LullEngine
import LullSystem
import LullWire

/// The upgrade of the daemon to other programs. They are tried first; then lull-guard becomes the new one,
/// while this lulld watches; then this lulld ends, and the guard starts the new one. Moments are nanoseconds
/// of CLOCK_BOOTTIME.
final class Upgrade {
  /// An outcome for the rest of the daemon.
  enum Outcome {
    /// lull-guard is to become that of a folder.
    case become(folder: String)
    case answer(Reply, to: Slot)
  }

  private enum Stage {
    case none
    /// The new programs are tried.
    case trying(UpgradeTrial, Slot, folder: String, client: Slot)
    /// lull-guard becomes the new one.
    case becoming(version: String, client: Slot, until: Int64)
    /// The new guard watches. This process ends as soon as no command is being started, and by then at the
    /// latest.
    case ready(version: String, until: Int64)
  }

  private let policy: SupervisionPolicy
  private let services: SharedServices
  private var stage = Stage.none

  init(_ policy: SupervisionPolicy, _ services: SharedServices) {
    (self.policy, self.services) = (policy, services)
  }

  var isUnderWay: Bool { if case .none = stage { false } else { true } }

  /// The version to which this process gives way; nil as long as it does not.
  var version: String? { if case .ready(let version, _) = stage { version } else { nil } }

  /// True when this process is to end: a command that is being started has its client's answer first.
  func isDue(isStartingCommand: Bool) -> Bool {
    guard case .ready(_, let until) = stage else { return false }
    return !isStartingCommand || until <= Clock.boottime()
  }

  /// The moment of the next deadline.
  var deadline: Int64? {
    switch stage {
    case .none: nil
    case .trying(let trial, _, _, _): trial.until
    case .becoming(_, _, let until): until
    case .ready(_, let until): until
    }
  }

  /// Tries the programs in a folder for a client.
  func begin(in folder: String, for client: Slot) throws(SystemError) {
    let trial = try UpgradeTrial(
      in: folder, openFileLimit: services.options.openFileLimit,
      until: Clock.boottime() + policy.upgradeTrial.nanoseconds)
    let registration = try services.reactor.add(trial.process.pidfd.raw, .readable, as: .upgrade)
    stage = .trying(trial, registration, folder: folder, client: client)
  }

  /// The process of the trial has ended.
  func trialEnded() -> [Outcome] {
    guard case .trying(let trial, let registration, let folder, let client) = stage else { return [] }
    services.reactor.remove(registration)
    switch services.journal.ignoring([], try trial.verdict()) {
    case .fit(let version)?:
      let until = Clock.boottime() + policy.upgradeTrial.nanoseconds
      stage = .becoming(version: version, client: client, until: until)
      return [.become(folder: folder)]
    case .unfit(let text)?: return fail(text, client)
    case nil: return fail("its words cannot be read", client)
    }
  }

  /// lull-guard is the new one, and watches.
  func guardReplaced() -> [Outcome] {
    guard case .becoming(let version, let client, _) = stage else { return [] }
    stage = .ready(version: version, until: Clock.boottime() + policy.upgradePatience.nanoseconds)
    services.journal.note(
      at: Clock.realtime(), program: nil, what: "upgrade",
      detail: "from \(DaemonOptions.version) to \(version)")
    let ok = Message(.ok).adding(.pid, Identity.pid()).adding(.version, version)
    return [.answer(.ok(ok), to: client)]
  }

  /// lull-guard has not become the new one, and goes on.
  func guardStays(_ reason: String) -> [Outcome] {
    guard case .becoming(_, let client, _) = stage else { return [] }
    return fail(reason, client)
  }

  /// lull-guard has died, or may become the new one yet: only this process is known to be the old one.
  func guardFails(_ reason: String) -> [Outcome] {
    guard case .becoming(_, let client, _) = stage else { return [] }
    stage = .none
    let text = "\(reason); lulld goes on as it was, and lull-guard may be the new one"
    return [.answer(.error(code: .refused, message: text), to: client)]
  }

  /// Ends a trial that takes too long, and gives up a guard that does not answer. One that becomes the new
  /// one later guards this lulld on.
  func timeIsUp() -> [Outcome] {
    guard let deadline, deadline <= Clock.boottime() else { return [] }
    guard case .trying(var trial, let registration, let folder, let client) = stage else {
      return guardFails("lull-guard does not answer")
    }
    services.journal.ignoring(.ended, try trial.kill())
    stage = .trying(trial, registration, folder: folder, client: client)
    return []
  }

  private func fail(_ reason: String, _ client: Slot) -> [Outcome] {
    stage = .none
    return [.answer(Self.refusal(reason), to: client)]
  }

  static func refusal(_ reason: String) -> Reply {
    .error(code: .refused, message: "the new lulld does not start: \(reason); nothing was changed")
  }
}
