import TestSupport
import Testing

@testable import LullEngine

/// The user's word on programs that record in the background.
@Suite(.bounded) struct RecordingTests {
  private let notice = "show recorder's 1, records in the background"

  /// A program in the background with a session that captures.
  private func recorder(_ modes: Modes = .audio) -> Script {
    var script = Script()
    script.player("recorder", modes: modes, category: .record) { $0.direction = .capture }
    return script
  }

  @discardableResult
  private func permit(_ script: inout Script, _ permission: RecordingPermission) -> [String] {
    script.ask(.permitRecording(RecordingEntry("recorder", permission)))
  }

  @discardableResult
  private func answer(_ script: inout Script, _ number: UInt32, action: String) -> [String] {
    script.ask(.answer(NotificationID(number), action: action))
  }

  @Test func `a program that begins to record in the background is told of once until the user answers`() {
    var script = recorder()
    #expect(script.hear("recorder", 1, .began).contains(notice))
    script.hear("recorder", 1, .ended, .began)
    let content = script.engine.notifications.map(\.content)
    #expect(content.map(\.action) == ["Deny"] && content.map(\.otherAction) == ["Allow"])
    #expect(answer(&script, 1, action: "dismiss") == ["ok", "withdraw 1"])
    #expect(
      script.hear("recorder", 1, .ended, .began).contains("show recorder's 2, records in the background"))
  }

  @Test func `nobody is told of what records in front, until it goes behind`() {
    var script = Script()
    script.launched("recorder", .audio)
    script.open("recorder", .record) { $0.direction = .capture }
    #expect(script.hear("recorder", 1, .began) == [])
    script.sendToBackground("recorder")
    #expect(script.engine.notifications.map(\.content.body) == ["records in the background"])
  }

  @Test func `what is held in the background does not record`() {
    var script = recorder(.voip)
    #expect(script.hear("recorder", 1, .began) == [])
  }

  @Test func `who is allowed is not told of again`() throws {
    var script = recorder()
    script.hear("recorder", 1, .began)
    #expect(answer(&script, 1, action: "Allow") == ["ok", "withdraw 1"])
    script.hear("recorder", 1, .ended, .began)
    #expect(script.engine.notifications.isEmpty)
    #expect(try script.leases("recorder") == [.recording])
  }

  @Test func `a denial gives up what is recorded, refuses what follows, and leaves the rest`() throws {
    var script = recorder()
    script.open("recorder")
    script.hear("recorder", 1, .began)
    #expect(answer(&script, 1, action: "Deny").contains("deny recorder's session 1"))
    #expect(!(try script.leases("recorder").contains(.recording)))
    #expect(try script.view("recorder").isRecordingDenied)
    script.close("recorder", 1)
    script.open("recorder", .record) { $0.direction = .capture }
    #expect(script.refusal == .recordingDenied("recorder"))
    script.open("recorder")
    #expect(script.answer == .session(SessionID(4)))
    permit(&script, .allowed)
    script.open("recorder", .record) { $0.direction = .capture }
    #expect(script.answer == .session(SessionID(5)))
  }

  @Test func `the word is for the name: before the program comes, and when it comes back`() throws {
    var script = Script()
    #expect(permit(&script, .denied) == ["ok"])
    for _ in 0..<2 {
      script.launched("recorder", .audio)
      script.open("recorder", .playAndRecord) { $0.direction = .capture }
      #expect(script.refusal == .recordingDenied("recorder"))
      script.feed(.exited(script.id("recorder"), .exited(0)))
    }
  }

  @Test func `an unmanaged client is denied by the name that it takes`() throws {
    var script = Script()
    permit(&script, .denied)
    script.register("stranger", []) { ($0.speaks, $0.isUnmanaged) = (false, true) }
    script.open("stranger", .record) { $0.direction = .capture }
    let id = script.id("stranger")
    let effects = script.ask(.adopt(id, Registration(name: "recorder", modes: .audio)))
    #expect(effects.contains { $0.hasPrefix("deny ") && $0.hasSuffix("'s session 1") }, "\(effects)")
  }

  @Test func `a word by hand answers the question`() {
    var script = recorder()
    script.hear("recorder", 1, .began)
    #expect(permit(&script, .allowed) == ["ok", "withdraw 1"])
    #expect(script.engine.notifications.isEmpty)
  }

  @Test func `an answer needs no program, and goes to none`() {
    var script = recorder()
    script.hear("recorder", 1, .began)
    script.feed(.exited(script.id("recorder"), .exited(0)))
    #expect(answer(&script, 1, action: "Deny") == ["ok", "withdraw 1"])
  }

  @Test func `a program can neither withdraw the question nor put its own in its place`() {
    var script = recorder()
    script.hear("recorder", 1, .began)
    let id = script.id("recorder")
    script.ask(.cancel(id, nil))
    script.ask(.present(id, LocalNotification(body: "nothing"), replaces: NotificationID(1)))
    for _ in 0..<script.engine.policy.maximumNotifications {
      script.ask(.present(id, LocalNotification(body: "nothing"), replaces: nil))
    }
    #expect(script.engine.notifications.first?.content.otherAction == "Allow")
  }

  @Test(arguments: RecordingPermission.allCases)
  func `what a command records past Lull is told, also of one that is denied`(permission: RecordingPermission)
    throws
  {
    var script = Script()
    permit(&script, permission)
    script.run("recorder")
    script.pass(to: 1)
    script.frozen("recorder")
    script.pass(to: 2)
    let seen = Observation.idle.with { ($0.audioDevice, $0.records) = ("pcmC0D0c", true) }
    let told = script.observed("recorder", seen)
    let text = "\(notice), past Lull, which cannot deny that"
    #expect(told.contains(text) == (permission == .denied))
    #expect(try script.view("recorder").recordsStraight)
  }

  @Test func `neither the end of an installation nor of the machine makes the ledger forget`() {
    let entry = RecordingEntry("recorder", .denied)
    let ledger = Ledger([
      .recording(RecordingEntry("recorder", .allowed)), .recording(entry),
      .installed(InstalledEntry(name: "recorder", state: .running)), .uninstalled(name: "recorder"),
    ])
    #expect(ledger.recordings == [entry] && ledger.afterBoot().recordings == [entry])
    #expect(Ledger(ledger.lastingSnapshot()).recordings == [entry])
  }

  @Test func `the records of the user's word are written before anything is done`() {
    var effects: [Effect] = []
    var script = recorder()
    script.hear("recorder", 1, .began)
    var engine = script.engine
    let entry = RecordingEntry("recorder", .denied)
    _ = engine.handle(.permitRecording(entry), at: script.now, effects: &effects)
    #expect(effects.first == .recordPermission(entry))
  }
}
