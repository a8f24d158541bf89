import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// The owner of sound by itself: its messages to lull-audio, and the outcomes of lull-audio's messages.
@Suite(.bounded) struct AudioSupervisorTests {
  /// A policy in which no life is short.
  private var patient: SupervisionPolicy {
    var policy = SupervisionPolicy()
    policy.shortLife = .seconds(-1)
    return policy
  }

  @Test func `a lull-audio that takes the place of one that died is told of every session`() throws {
    let stage = try AudioStage(patient)
    try stage.open(1)
    #expect(try stage.told(to: "open").map(\.verb) == ["ring", "doorbell", "open"])
    try stage.open(2, slot: 1)
    #expect(try stage.told(to: "open").last?[.session] == "2")
    #expect(try stage.die().map(\.text) == ["silenced", "note sound-restarted"])
    #expect(stage.launches == 2)
    #expect(try stage.told(to: "open").last?[.session] == "1")
    #expect(try stage.told(to: "open").last?[.session] == "2")
  }

  @Test func `one that died soon after its start is not started again at once`() throws {
    var policy = SupervisionPolicy()
    (policy.shortLife, policy.audioRestart) = (.seconds(1000), .seconds(1000))
    let stage = try AudioStage(policy)
    try stage.open(1)
    _ = try stage.die()
    #expect(stage.launches == 1)
    let due = try #require(stage.supervisor.deadline)
    #expect(due > Clock.boottime())
    _ = stage.supervisor.timeIsUp()
    #expect(stage.launches == 1)
  }

  @Test func `it may end while there is nothing to do`() throws {
    let stage = try AudioStage(patient)
    try stage.open(1)
    stage.supervisor.close(SessionID(1), of: AudioStage.app(0))
    #expect(try stage.die().map(\.text) == ["silenced"])
    #expect(stage.launches == 1 && stage.supervisor.deadline == nil)
  }

  @Test func `the lull-audio of the lulld before goes on, and another one is started when it dies`() throws {
    let stage = try AudioStage(patient)
    try stage.inherit()
    try stage.open(1)
    #expect(try stage.told(to: "open").map(\.verb) == ["status-page", "ring", "doorbell", "open"])
    #expect(try stage.say("began session=1").map(\.text) == ["health-note none", "1 began"])
    #expect(stage.launches == 0 && stage.supervisor.pid == stage.process?.pid)
    _ = try stage.die()
    #expect(stage.launches == 1)
  }

  @Test func `one that has ended before it is inherited is none`() throws {
    let stage = try AudioStage(patient)
    try stage.inherit(hasEnded: true)
    #expect(!stage.supervisor.isRunning)
    try stage.open(1)
    #expect(stage.launches == 1)
  }

  @Test func `an inherited one is ended when nothing needs it, and the next session starts another`() throws {
    var policy = patient
    policy.audioClaim = .zero
    let stage = try AudioStage(policy)
    try stage.inherit()
    try stage.open(1)
    stage.supervisor.watch()
    #expect(stage.supervisor.timeIsUp().isEmpty && stage.supervisor.isRunning)
    stage.supervisor.close(SessionID(1), of: AudioStage.app(0))
    stage.supervisor.watch()
    #expect(stage.supervisor.timeIsUp().map(\.text) == ["silenced"])
    #expect(!stage.supervisor.isRunning && stage.supervisor.deadline == nil)
    try stage.open(2)
    stage.supervisor.close(SessionID(2), of: AudioStage.app(0))
    stage.supervisor.watch()
    #expect(stage.launches == 1 && stage.supervisor.timeIsUp().isEmpty && stage.supervisor.isRunning)
  }

  @Test func `it is told of the next lulld while it plays, and only then`() throws {
    let stage = try AudioStage()
    #expect(stage.supervisor.handOver() == nil)
    try stage.open(1)
    let way = stage.supervisor.handOver()
    #expect(way != nil)
    _ = try stage.told(to: "linger")
  }

  @Test func `what plays on after a restart is told apart from what begins`() throws {
    let stage = try AudioStage(patient)
    for number in 1...2 { try stage.open(UInt32(number)) }
    #expect(try stage.say("began session=1").map(\.text) == ["health-note none", "1 began"])
    _ = try stage.die()
    #expect(try stage.say("began session=1").map(\.text) == ["health-note none", "1 plays on"])
    #expect(try stage.say("began session=2").map(\.text) == ["health-note none", "2 began"])
  }

  @Test func `what played before a restart and is not told again has ended`() throws {
    var policy = patient
    policy.audioNewsAfterStart = .zero
    let stage = try AudioStage(policy)
    for number in 1...3 { try stage.open(UInt32(number)) }
    for number in 1...2 { _ = try stage.say("began session=\(number)") }
    _ = try stage.die()
    _ = try stage.say("began session=2")
    #expect(stage.supervisor.timeIsUp().map(\.text) == ["1 ended"])
    #expect(stage.supervisor.timeIsUp().isEmpty)
  }

  @Test func `a note about sound that was given up ends with the next session`() throws {
    let stage = try AudioStage()
    try stage.open(1)
    let outcomes = try stage.say("cut session=1 reason=no-device")
    #expect(
      outcomes.map(\.text) == [
        "note sound-cut",
        "health-note no-device",
        "1 cut", "notice cut to 0", "1 is over",
      ])
    stage.supervisor.close(SessionID(1), of: AudioStage.app(0))
    #expect(stage.supervisor.open(try stage.session(2)).map(\.text) == ["health-note none"])
  }

  @Test func `one that takes nothing of what waits for it is ended`() throws {
    var policy = SupervisionPolicy()
    policy.audioHang = .zero
    let stage = try AudioStage(policy)
    try stage.open(1)
    stage.supervisor.watch()
    // The orders are more than the socket holds.
    for _ in 1...20_000 { stage.supervisor.order(SessionID(1), of: AudioStage.app(0), .duck) }
    stage.supervisor.watch()
    let process = try #require(stage.process)
    try ready(process.pidfd.raw, .readable, "it was not ended")
  }

  @Test func `a program hears of each change of its devices once`() throws {
    let stage = try AudioStage()
    try stage.open(1)
    try stage.open(2, slot: 1)
    let moved = try stage.say("route session=1 change=new device=hw:1 old=default reason=override")
    #expect(moved.map(\.text) == ["note route-new", "routeChanged"])
    let app = AudioStage.app(0)
    let notices = stage.supervisor.takeRouteNotices(of: app)
    #expect(notices.map(\.notice.message.notice) == [.route] && notices.map(\.client.index) == [0])
    #expect(stage.supervisor.takeRouteNotices(of: app).isEmpty)
    #expect(stage.supervisor.items(of: app, "one").first?[.device] == "hw:1")
    // A device that came back lets the sessions that waited for it go on.
    #expect(try stage.say("route change=new device=hw:1").map(\.text).last == "1 resumed")
  }

  @Test func `a lull-audio that takes the place of another listens to the same streams`() throws {
    let stage = try AudioStage(patient)
    let clients = [SoundClient(pid: 7, server: "unix:/run/pulse/native")]
    let (app, streams) = (AudioStage.app(0), MeasuredStreams(clients: clients, isMeasured: true))
    #expect(stage.supervisor.listen(to: app, streams).isEmpty)
    #expect(stage.launches == 1)
    let told = try stage.told(to: "listen").last
    #expect(told?[.pid] == "7" && told?[.peer] == "unix:/run/pulse/native" && told?[.program] == "0")
    #expect(told?[.audible] != nil)
    #expect(stage.supervisor.listen(to: app, streams).isEmpty)
    #expect(try stage.say("streams program=0 state=running").isEmpty)
    #expect(stage.supervisor.straight(of: app) == .running)
    #expect(try stage.say("streams program=0 state=measured").map(\.text) == ["0 is measured"])
    #expect(try stage.say("streams program=1 state=measured").isEmpty)
    #expect(try stage.die().map(\.text) == ["silenced", "0 is not measured"])
    #expect(stage.launches == 2 && stage.supervisor.straight(of: app) == .none)
    #expect(try stage.told(to: "listen").last?[.pid] == "7")
    #expect(try stage.say("streams program=0 state=measured").map(\.text) == ["0 is measured"])
    #expect(stage.supervisor.leave(app).map(\.text) == ["0 is not measured"])
    #expect(try stage.told(to: "leave").last?[.program] == "0")
    #expect(stage.supervisor.listened.isEmpty && stage.supervisor.leave(app).isEmpty)
    #expect(try stage.say("streams program=0 state=measured").isEmpty)
  }

  @Test func `a program that is forgotten leaves nothing`() throws {
    let stage = try AudioStage()
    try stage.open(1)
    try stage.open(2, slot: 1)
    stage.supervisor.forget(AudioStage.app(0))
    #expect(try stage.told(to: "close").last?[.session] == "1")
    #expect(!stage.supervisor.hasSessions(AudioStage.app(0)))
    #expect(try stage.say("began session=1").isEmpty)
    #expect(try stage.say("sounding program=1 of=all").map(\.text) == ["1 sounding all"])
  }
}
