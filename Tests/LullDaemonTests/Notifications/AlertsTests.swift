import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// The owner of what notifications sound like; a shell plays lull-player.
@Suite(.bounded) struct AlertsTests {
  @Test func `the newest call rings, and the one before goes on when it is over`() throws {
    let stage = try AlertStage()
    stage.call(1, "/one.wav")
    stage.call(2, "/two.wav")
    #expect(stage.started == ["/one.wav", "/two.wav"])
    try stage.expectEnd(of: 0)
    stage.withdraw(2)
    #expect(stage.started == ["/one.wav", "/two.wav", "/one.wav"])
    try stage.expectEnd(of: 1)
    stage.withdraw(1)
    try stage.expectEnd(of: 2)
    #expect(stage.alerts.deadline == nil)
  }

  @Test func `a call that sounds the same goes on ringing for the newest`() throws {
    let stage = try AlertStage()
    stage.call(1)
    stage.call(2)
    stage.withdraw(1)
    #expect(stage.started == ["default"])
    stage.withdraw(2)
    try stage.expectEnd(of: 0)
  }

  @Test func `a flood of sounds is one sound, and none while a call rings`() throws {
    let stage = try AlertStage()
    for number in 1...100 { stage.show(number) }
    #expect(stage.started == ["default"])
    stage.call(101, "/ring.wav")
    try stage.expectEnd(of: 0)
    for number in 102...200 { stage.show(number) }
    #expect(stage.started == ["default", "/ring.wav"])
  }

  @Test func `what takes the place of a call that rings silences it`() throws {
    let stage = try AlertStage()
    stage.call(1)
    stage.alerts.show(NotificationID(1), LocalNotification(body: "Missed call"), of: "phone")
    stage.alerts.settle()
    try stage.expectEnd(of: 0)
  }

  @Test func `do not disturb silences everything, and nothing of it comes back`() throws {
    let stage = try AlertStage()
    stage.call(1, "/one.wav")
    stage.call(2)
    stage.alerts.silence()
    stage.alerts.settle()
    for number in 0...1 { try stage.expectEnd(of: number) }
    #expect(stage.started == ["/one.wav", "default"] && stage.alerts.deadline == nil)
  }

  @Test func `a call stops ringing by itself after a minute`() throws {
    var policy = AlertStage.policy
    policy.ringingLimit = .milliseconds(1)
    let stage = try AlertStage(policy)
    stage.call(1)
    try eventually("it rings on") {
      stage.alerts.settle()
      return stage.hasEnded(0)
    }
    try stage.expectEnd(of: 0)
  }

  @Test func `a player that does not end is killed`() throws {
    let stage = try AlertStage(script: "trap '' TERM; echo ready >&2; while :; do sleep 100 & wait; done")
    stage.call(1)
    try stage.hear("ready")
    stage.withdraw(1)
    try stage.expectEnd(of: 0)
  }

  @Test func `a file that ends its player gives way to the default sound, and the log says so`() throws {
    let stage = try AlertStage(script: "case $2 in default) exec sleep 1000; esac; kill -SEGV $$")
    stage.call(1, "/bad.flac")
    try eventually("the default sound is not played") {
      stage.turn()
      return stage.started == ["/bad.flac", "default"]
    }
    let detail = "player-ended text=/bad.flac error=SIGSEGV"
    #expect(stage.details == [detail])
    #expect(stage.alerts.isRinging(stage.pid(1)))
  }

  @Test func `one that begins nothing gives way to the default sound`() throws {
    var policy = AlertStage.policy
    policy.supervision.alertOpening = .zero
    let stage = try AlertStage(policy)
    stage.call(1, "/hangs.flac")
    stage.turn()
    stage.turn()
    #expect(stage.started == ["/hangs.flac", "default"])
    let detail = "player-silent text=/hangs.flac"
    #expect(stage.details == [detail])
    try stage.expectEnd(of: 0)
  }

  @Test func `what it says is in the log, a few lines of it`() throws {
    let stage = try AlertStage(script: "for n in 1 2 3 4 5 6; do echo \"line $n\" >&2; done; exit 1")
    stage.call(1)
    try eventually("its end is not seen") {
      stage.turn()
      return stage.alerts.deadline == nil
    }
    #expect(stage.details == (1...4).map { "line \($0)" })
  }
}

/// The owner, and the processes that it has started.
private final class AlertStage {
  private final class Started {
    var sounds: [String] = []
    var processes: [AlertProcess] = []
  }

  /// Without the pause from one sound to the next.
  static let policy: Policy = {
    var policy = Policy()
    policy.supervision.alertPause = .zero
    return policy
  }()

  let alerts: Alerts
  private let journal = LullDaemon.Journal()
  private let launched = Started()
  private let reactor: DaemonReactor
  private var buffer = ReceiveBuffer(capacity: 4096)

  init(_ policy: Policy = policy, script: String = "exec sleep 1000") throws {
    reactor = try DaemonReactor()
    let launched = launched
    alerts = Alerts(EngineClock(rate: 1, base: 0), policy, journal: journal, reactor: reactor) {
      alert throws(SystemError) in
      let (reading, writing) = try Pipe.open()
      try Descriptor.stopBlocking(reading.raw)
      var request = SpawnRequest(["sh", "-c", script, "lull-player", "--", alert.sound.word])
      request.standardError = writing.raw
      let process = AlertProcess(try HelperProcess.spawn(request).process, complaints: reading)
      launched.sounds.append(alert.sound.word)
      launched.processes.append(process)
      return process
    }
  }

  deinit {
    // Zombies keep the testing library from hearing of the ends of its own children.
    for process in launched.processes.map(\.process) {
      try? process.send(Signal.kill)
      _ = try? Socket.poll(process.pidfd.raw, .readable, timeoutMilliseconds: patience)
      _ = try? process.reap()
    }
  }

  /// The sounds that were started, in their order.
  var started: [String] { launched.sounds }

  /// The details of the journal's entries.
  var details: [String] { (0..<journal.count).compactMap { journal[$0]?.detail } }

  func pid(_ number: Int) -> Int32 { launched.processes[number].process.pid }

  func show(_ number: Int) {
    let content = LocalNotification(body: "message", sound: .default)
    alerts.show(NotificationID(UInt32(number)), content, of: "phone")
    alerts.settle()
  }

  func call(_ number: Int, _ sound: String = "default") {
    let content = LocalNotification(body: "call", sound: NotificationSound(word: sound), isCall: true)
    alerts.show(NotificationID(UInt32(number)), content, of: "phone")
    alerts.settle()
  }

  func withdraw(_ number: Int) {
    alerts.withdraw(NotificationID(UInt32(number)))
    alerts.settle()
  }

  /// What a turn of the daemon does.
  func turn() {
    alerts.spoke(&buffer)
    alerts.timeIsUp()
    alerts.settle()
  }

  /// Waits until a process has said so.
  func hear(_ text: String) throws {
    try eventually("\(text) was not said") {
      turn()
      return details.contains(text)
    }
  }

  func hasEnded(_ number: Int) -> Bool {
    let process = launched.processes[number].process
    let ready = try? Socket.poll(process.pidfd.raw, .readable, timeoutMilliseconds: 0)
    return ready?.contains(.readable) == true
  }

  /// Waits until a process has ended, and its end was taken.
  func expectEnd(of number: Int) throws {
    try eventually("the player \(number) did not end") {
      let ended = hasEnded(number)
      turn()
      return ended
    }
  }
}
