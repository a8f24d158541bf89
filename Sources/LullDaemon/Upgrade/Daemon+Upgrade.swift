import LullEngine
import LullSystem
import LullWire

// The upgrade of the daemon: its owner says what is next, and lull-guard and lull-audio take part.
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
    do {
      let place = try folder ?? HelperProcess.folder()
      guard sound.pid == nil || Files.exists("\(place)/lull-audio") else {
        return Upgrade.refusal("no lull-audio is in \(place)")
      }
      try upgrade.begin(in: place, for: client.slot)
    } catch {
      return Upgrade.refusal("\(error)")
    }
    control.wait(client)
    return nil
  }

  func carryOut(_ outcomes: [Upgrade.Outcome]) {
    for outcome in outcomes { carryOut(outcome) }
  }

  private func carryOut(_ outcome: Upgrade.Outcome) {
    switch outcome {
    case .become(let folder):
      do { try guardianship.become(in: folder) } catch { carryOut(upgrade.guardStays("\(error)")) }
    case .answer(let answer, let slot):
      guard let client = control[slot] else { return }
      reply(answer, to: client)
      control.resume(client)
    }
  }

  /// True when this process is to end for the next one.
  var isUpgradeDue: Bool { upgrade.isDue(isStartingCommand: commands.reservations.deadline != nil) }

}
