import LullSystem
import LullWire
import TestSupport
import Testing

/// The sounds of notifications, as they are heard.
@Suite(.bounded) struct AlertTests {
  private func call(_ puppet: Puppet, sound: String = "default") throws {
    try puppet.ask("present body=\"New VOIP call\" action=Answer sound=\(sound) call")
  }

  private func waitForRing(_ stage: AudioStage) throws -> Message {
    try stage.session(of: "lull-alert") { $0[.state] == "running" && $0[.audible] != nil }
  }

  private func waitForEnd(_ stage: AudioStage) throws {
    _ = try stage.journal.next(of: "lull-alert", among: ["left", "exited"])
  }

  @Test func `a call rings until it is answered, and its program sleeps meanwhile`() throws {
    let stage = try AudioStage()
    let recorder = try stage.sink.record(to: stage.path("ring.raw"))
    let phone = try Puppet.awake(stage.lull, name: "phone")
    try call(phone)
    let ring = try waitForRing(stage)
    #expect(ring[.category] == "playAndRecord")
    try phone.rest()
    try stage.journal.waitUntilAsleep("phone", stage.lull)
    #expect(try waitForRing(stage)[.session] == ring[.session])
    #expect(try stage.lull.state(of: "phone") == "suspended")
    #expect(try stage.lull.run("answer", "1", "Answer").status == .exited(0))
    try waitForEnd(stage)
    try recorder.signal(Signal.interrupt)
    try recorder.end()
    let bytes = try Files.read(stage.path("ring.raw"), limit: 1 << 28)
    let peak = stride(from: 0, to: bytes.count - 1, by: 2).map {
      Int(Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8).magnitude)
    }.max()
    // Half of full scale would be 16,384.
    #expect((2000...16_384).contains(peak ?? 0), "\(peak ?? 0)")
  }

  @Test func `a message sounds once, and its file comes out as it is`() throws {
    let stage = try AudioStage()
    var wave = Wave()
    wave.addNoise(seconds: 1)
    try wave.write(to: stage.path("message.wav"))
    let recorder = try stage.sink.record(to: stage.path("out.raw"))
    let phone = try Puppet.awake(stage.lull, name: "phone")
    try phone.ask("present body=hello sound=\(stage.path("message.wav"))")
    try waitForEnd(stage)
    try recorder.signal(Signal.interrupt)
    try recorder.end()
    try stage.expect(wave, in: "out.raw")
  }

  @Test func `notifications sound on a device of their own where one is chosen`() throws {
    let stage = try AudioStage(environment: ["LULL_ALERT_DEVICE=headset"])
    let headset = try stage.sink.plugHeadset()
    let phone = try Puppet.awake(stage.lull, name: "phone")
    try call(phone)
    #expect(try waitForRing(stage)[.device] == "headset")
    #expect(try headset.isAlive)
  }

  @Test func `a file that is no sound is named in the log, and the call rings all the same`() throws {
    let stage = try AudioStage()
    try Kernel.write("no sound", to: stage.path("ring.ogg"))
    let phone = try Puppet.awake(stage.lull, name: "phone")
    try call(phone, sound: stage.path("ring.ogg"))
    let trouble = try stage.journal.wait("alert-trouble", of: "phone")
    let detail = try #require(trouble[.detail])
    #expect(detail.contains("ring.ogg: ") && detail.hasSuffix("; the default sound is played instead"))
    _ = try waitForRing(stage)
  }

  @Test func `a call stops ringing after a minute, and the notification stays`() throws {
    let stage = try AudioStage(clockRate: 40)
    let phone = try Puppet.awake(stage.lull, name: "phone")
    try call(phone)
    try stage.journal.wait("session-opened", of: "lull-alert")
    try waitForEnd(stage)
    #expect(try stage.lull.order("notifications").all(.notification).map { $0[.state] } == ["pending"])
  }

  @Test func `a ring is silenced by lull quiet, and by a desktop that is to be left alone`() throws {
    let desktop = try Desktop(configuration: "")
    let stage = try AudioStage(environment: desktop.environment)
    let phone = try Puppet.awake(stage.lull, name: "phone")
    try call(phone)
    _ = try waitForRing(stage)
    #expect(try stage.lull.run("quiet", "on").status == .exited(0))
    try waitForEnd(stage)
    #expect(try stage.lull.run("quiet", "off").status == .exited(0))
    try call(phone)
    _ = try waitForRing(stage)
    try desktop.control("set-paused", "true")
    try waitForEnd(stage)
    #expect(try stage.lull.order("notifications").all(.notification).count == 2)
  }

  @Test func `a flood of messages is heard once`() throws {
    let stage = try AudioStage()
    let phone = try Puppet.awake(stage.lull, name: "phone")
    for number in 1...200 { try phone.ask("present body=\(number) sound=default") }
    try waitForEnd(stage)
    let entries = try stage.journal.entriesUpToNow()
    #expect(!entries.contains { $0["program"] == "lull-alert" }, "\(entries)")
  }

  @Test func `a sound that finds no lulld starts none`() throws {
    let lull = try Lull()
    #expect(try lull.run("daemon", "stop").status == .exited(0))
    let alert = try ConnectedChild(
      [Built.program("lull-player"), "alert", "default"], environment: lull.environment)
    #expect(try alert.errors.untilEnd() != "")
    #expect(try alert.end() == .exited(1))
    #expect(throws: (any Error).self) { try lull.connect() }
  }

  @Test func `ringing ends with lulld, and no sound stays behind`() throws {
    let stage = try AudioStage()
    let phone = try Puppet.awake(stage.lull, name: "phone")
    try call(phone)
    _ = try waitForRing(stage)
    let number = try #require(Int32(stage.lull.field(.pids, of: "lull-alert")))
    let alert = try Process.pidfdOpen(number)
    try stage.lull.kill()
    try Deadline().wait(alert.raw, .readable, for: "the end of the sound")
  }
}
