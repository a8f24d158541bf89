import LullModel
import LullSystem
import LullWire
import TestSupport
import Testing

/// docs/PROTOCOL.md against the real daemon: whatever the page says is played, and whatever is said in the
/// plays stands on the page.
@Suite(.bounded(seconds: 240)) struct ProtocolTests {
  /// What no test can play, with the reason.
  static let unplayable = [
    "wake reason=signal": "an alarm falls due in its own time; Tools/waits has it",
    "item timer hidden": "an alarm falls due in its own time; Tools/waits has it",
    "item timer lookInSeconds": "an alarm falls due in its own time; Tools/waits has it",
    "item session order=deny": "lull-audio gives the session up at once; RecordingTests has it",
    "refusal=returned": "a daemon must end and another one begin; ComebackTests has it",
    "refusal=answering": "a server that answers at its own tick; AnswerTests has it",
    "request adopt exitsOnSuspend": "an adopted program is never ended; AdoptTests has the refusal",
    "request adopt keepLines": "an adopted program is never ended; AdoptTests has the refusal",
    "request adopt purgeable": "an adopted program is never ended; AdoptTests has the refusal",
    "code=too-many-programs": "2048 processes; QuotaTests of the engine has it",
    "notice action token": "a click on a desktop; ActivationTests has it",
    "wake reason=resumed": "the machine would have to sleep; NetworkWatchTests has it",
    "item daemon watchdog": "a service manager; ServiceTests has it",
    "item daemon startedBy=service": "a service manager; ServiceTests has it",
    "item daemon startedBy=daemon-start": "a daemon without a test behind it; DaemonCommandTests has it",
    "item daemon startedBy=use": "a daemon without a test behind it; DaemonCommandTests has it",
    "item note pid": "a daemon must die three times; RestoreBoundTests has it",
    "item note silence": "a pause of sound must be cut off by a freeze; ReportsTests has it",
    "item check available": "the machine of a play has no /proc/meminfo; PressureWatchTests has it",
    "code=too-many-lines": "16,384 descriptors; QuotaTests of the engine has it",
  ]

  /// What a machine without swap cannot play. One with less swap than a test needs may play it by chance.
  static let playedWithSwap = [
    "item program residentBefore": "a machine without swap; MemoryCompactionTests has it",
    "item program residentAfter": "a machine without swap; MemoryCompactionTests has it",
  ]

  /// What is played where the moment allows it.
  static let playedByChance = [
    "item note seconds": "the wait for the next look is over soon; ReportsTests has it",
    "item installed waiting": "a write to the disk is over soon; LedgerStoreTests has it",
  ]

  @Test func `every line of the page is played, and nothing else is said`() throws {
    let page = try ProtocolPage()
    let spoken = Spoken()
    // One play or file by itself, while it is written.
    let chosen = Identity.environment("LULL_PLAY").flatMap { $0.isEmpty ? nil : $0 }
    let plays = try Play.all().filter { play in
      (chosen.map { play.file == $0 || play.name == $0 } ?? true)
        && (!play.needsSwap || TestSwap.isPossible)
    }
    for failure in try Company(plays, page: page, spoken: spoken).perform() { Issue.record("\(failure)") }
    guard chosen == nil else { return }
    let unplayable = Self.unplayable(here: spoken)
    for (name, reason) in unplayable.sorted(by: <) { print("not played: \(name): \(reason)") }
    let comparison = Comparison(page, spoken, unplayable: unplayable)
    #expect(comparison.unplayed.isEmpty, "no play for\n\(comparison.unplayed.joined(separator: "\n"))")
    #expect(comparison.unwritten.isEmpty, "not on the page\n\(comparison.unwritten.joined(separator: "\n"))")
  }

  /// What this machine cannot play.
  private static func unplayable(here spoken: Spoken) -> [String: String] {
    let values = spoken.values
    var rare = playedByChance
    if !TestSwap.isPossible { rare.merge(playedWithSwap) { first, _ in first } }
    return rare.filter { values[$0.key] == nil }.merging(unplayable) { first, _ in first }
  }

  @Test func `the page lists the words of the code`() throws {
    let page = try ProtocolPage()
    func words(_ key: String) -> [String] { (page[key]?.words ?? []).sorted() }
    #expect(words("code") == Code.allCases.map(\.rawValue).sorted())
    #expect(words("refusal") == FreezeRefusal.allCases.map(\.rawValue).sorted())
    #expect(words("wake reason") == WakeReason.allCases.map(\.rawValue).sorted())
    #expect(words("lease") == LeaseKind.allCases.map(\.rawValue).sorted())
    #expect(words("state") == ApplicationState.allCases.map(\.rawValue).sorted())
    #expect(words("message") == DelegateMessage.allCases.map(\.rawValue).sorted())
    let keys = page.entries.map(\.key)
    for kind in ItemKind.allCases { #expect(keys.contains("item \(kind.rawValue)")) }
    for notice in Notice.allCases where ![.entry, .notification].contains(notice) {
      #expect(keys.contains("notice \(notice.rawValue)"))
    }
  }
}
