import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire

extension Daemon {
  /// Begins an upgrade to the programs in a folder, or to those in the folder of this one. The client is
  /// answered when the new lull-guard watches; this process ends right after that.
  func upgrade(to folder: String?, _ client: Client) -> Reply? {
    guard !upgrade.isUnderWay else { return .error(code: .busy, message: "an upgrade is under way") }
    guard guardianship.isWatching else {
      return .error(code: .busy, message: "no lull-guard watches; try again, or see `lull doctor`")
    }
    guard folder.map({ $0.hasPrefix("/") }) ?? true else {
      return .error(code: .badValue, message: "folder must be a path from / on")
    }
    // A container ends with its first process.
    guard let pid = guardianship.pid, pid != 1 else {
      return Upgrade.refusal("lull-guard is the first process of a container: start that one anew")
    }
    do {
      let place = try folder ?? Process.folder()
      let names = ["lulld", DaemonOptions.guardName] + (sound.pid == nil ? [] : ["lull-audio"])
      for name in names { try Files.checkExecutable("\(place)/\(name)") }
      signals.pollApart()
      try guardianship.change(to: place)
    } catch {
      return Upgrade.refusal("\(error)")
    }
    upgrade.begin(for: client.slot)
    control.wait(client)
    return nil
  }

  func otherGuardSpoke() {
    guardianship.receiveOfOther(into: &receiveBuffer)
    while let outcomes = guardianship.nextOfOther() { carryOut(outcomes) }
    // The two may have changed their parts, behind words that have come already.
    guardianSpoke()
  }

  func guardReplaced() {
    guard let client = upgrade.guardReplaced() else { return }
    journal.note(program: nil, what: "upgrade")
    answer(.ok(Message(.ok).adding(.pid, Identity.pid())), client)
  }

  func guardStays(_ reason: String) {
    if let client = upgrade.guardStays() { answer(Upgrade.refusal(reason), client) }
  }

  private func answer(_ reply: Reply, _ slot: Slot) {
    guard let client = control[slot] else { return }
    self.reply(reply, to: client)
    control.resume(client)
  }

  var isUpgradeDue: Bool { upgrade.isDue(isStartingCommand: commands.reservations.deadline != nil) }

  /// Leaves everything to the next lulld, which the guard starts as soon as this process has ended;
  /// lull-audio plays on. The programs are thawed.
  func giveWay() {
    let pid = sound.pid
    if let way = sound.handOver() {
      guardianship.tell(Message(.sound).adding(.pid, pid), descriptor: way)
    }
    guardianship.tell(.upgrading)
    let until = Clock.boottime() + host.policy.supervision.upgradePatience.nanoseconds
    repeat { carryOut(guardianship.flush()) } while guardianship.sendsOn(until: until)
  }
}
