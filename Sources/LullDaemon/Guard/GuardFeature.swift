import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire

/// What lull-guard says, and the upgrade, which begins with it.
final class GuardFeature: Feature {
  /// lull-guard gives way to that of other programs, then this lulld ends, and the new guard starts the lulld
  /// beside itself.
  private enum Upgrade {
    case none
    case changing(client: Slot)
    /// The new guard watches. This process ends as soon as no command is being started, and by then at the
    /// latest.
    case ready(until: Int64)
  }

  let core: Core
  private let kept: KeptFeature
  private let sound: SoundFeature
  private let lifecycle: LifecycleFeature
  private var upgrade = Upgrade.none

  init(_ core: Core, kept: KeptFeature, sound: SoundFeature, lifecycle: LifecycleFeature) {
    (self.core, self.kept, self.sound, self.lifecycle) = (core, kept, sound, lifecycle)
  }

  var deadline: Int64? { earlier(guardianship.deadline, upgradeDeadline) }

  private var upgradeDeadline: Int64? { if case .ready(let until) = upgrade { until } else { nil } }

  func timeIsUp() { carryOut(guardianship.timeIsUp()) }

  func childrenChanged() { guardianship.childrenChanged() }

  func turnEnds() {
    kept.tellGuardOfLines()
    carryOut(guardianship.flush())
    guardianship.watchForRoom()
  }

  /// Lines that were let go in the last turn must not come back with the next daemon.
  func finish(goesOn: Bool) {
    kept.tellGuardOfLines()
    if !goesOn { guardianship.tell(.stopping) }
  }

  var checks: [DaemonCheckItem] { [DaemonCheckItem("guard", guardianship.isThere ? .yes : .limited)] }

  func guardianSpoke() {
    guardianship.receive(into: &core.receiveBuffer)
    while let outcomes = guardianship.next() { carryOut(outcomes) }
  }

  private func carryOut(_ outcomes: [GuardOutcome]) {
    for outcome in outcomes { carryOut(outcome) }
  }

  private func carryOut(_ outcome: GuardOutcome) {
    switch outcome {
    case .keepLine(let line, let descriptor): kept.restore(line, descriptor)
    case .sound(let way, let pid): sound.audio.inherit(way, pid: pid)
    case .wakeSleepers: wakeSleepers()
    case .storeAll:
      guardianship.tellAnew {
        guardianship.tell(.anew)
        kept.tellGuardOfAllLines()
      }
    case .launch:
      core.signals.pollApart()
      carryOut(guardianship.launch())
    case .launched(let pid): suspenders.guardReplaced(by: pid)
    case .replaced: guardReplaced()
    case .unchanged(let reason): guardStays(reason)
    }
  }

  /// The programs run, and no event has woken them in this daemon.
  func wakeSleepers() { for id in freezer.frozen { _ = ask(.transition(id, .wake)) } }

  // MARK: Upgrade

  /// Upgrades to the programs in `folder`, or in that of this process. The client is answered when the new
  /// lull-guard watches, and this process ends right after that.
  func upgrade(to folder: String?, _ client: Client) -> Reply? {
    guard case .none = upgrade else { return .error(.busy, .init(.upgradeUnderWay)) }
    guard guardianship.isWatching else { return .error(.busy, .init(.guardMissingNow)) }
    guard folder.map({ $0.hasPrefix("/") }) ?? true else {
      return .error(.badValue, .init(.needsAbsoluteFolder))
    }
    // A container ends with its first process.
    guard let pid = guardianship.pid, pid != 1 else {
      return .error(.refused, .init(.guardIsFirst))
    }
    do {
      let place = try folder ?? Process.folder()
      let names = ["lulld", DaemonOptions.guardName] + (sound.audio.pid == nil ? [] : ["lull-audio"])
      for name in names { try Files.checkExecutable("\(place)/\(name)") }
      core.signals.pollApart()
      try guardianship.change(to: place)
    } catch {
      return .error(.refused, .init(.upgradeFailed, error: "\(error)"))
    }
    upgrade = .changing(client: client.slot)
    control.wait(client)
    return nil
  }

  func otherGuardSpoke() {
    guardianship.receiveOfOther(into: &core.receiveBuffer)
    while let outcomes = guardianship.nextOfOther() { carryOut(outcomes) }
    // The two may have changed their parts, behind words that have come already.
    guardianSpoke()
  }

  private func guardReplaced() {
    guard case .changing(let client) = upgrade else { return }
    upgrade = .ready(until: Clock.boottime() + policy.supervision.upgradePatience.nanoseconds)
    journal.note(program: nil, what: "upgrade")
    answer(.ok(Message(.ok).adding(.pid, Identity.pid())), client)
  }

  private func guardStays(_ why: Explanation) {
    guard case .changing(let client) = upgrade else { return }
    upgrade = .none
    answer(.error(.refused, why), client)
  }

  private func answer(_ reply: Reply, _ slot: Slot) {
    guard let client = control[slot] else { return }
    self.reply(reply, to: client)
    control.resume(client)
  }

  /// A command that is being started has its client's answer first.
  var isUpgradeDue: Bool {
    guard case .ready(let until) = upgrade else { return false }
    return lifecycle.reservations.deadline == nil || until <= Clock.boottime()
  }

  /// The guard starts the next lulld as soon as this process has ended; lull-audio plays on. The programs
  /// are thawed.
  func giveWay() {
    let pid = sound.audio.pid
    if let way = sound.audio.handOver() {
      guardianship.tell(Message(.sound).adding(.pid, pid), descriptor: way)
    }
    guardianship.tell(.upgrading)
    let until = Clock.boottime() + policy.supervision.upgradePatience.nanoseconds
    repeat { carryOut(guardianship.flush()) } while guardianship.sendsOn(until: until)
  }
}
