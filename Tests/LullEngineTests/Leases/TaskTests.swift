import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct TaskTests {
  @Test func `in the foreground a task is unlimited`() throws {
    var script = Script()
    script.launched("phone")
    #expect(script.beginTask("phone") == ["ok, task 1"])
    #expect(script.remaining("phone") == ["ok, unlimited"])
    #expect(try script.leases("phone") == [])
    #expect(script.pass(to: 10_000) == [])
  }

  @Test(arguments: [(Profile.ios4, 600.0), (.ios7, 180)])
  func `in the background a task has the time of the profile, and a warning 5 s before its end`(
    profile: Profile, budget: Double
  ) throws {
    var script = Script()
    script.launched("phone") { $0.profile = profile }
    script.beginTask("phone")
    script.sendToBackground("phone")
    #expect(try script.leases("phone") == [.task])
    script.pass(to: 100)
    #expect(script.remaining("phone") == ["ok, \(Moment(budget - 100).text) s"])
    #expect(
      script.pass(to: budget - 1) == ["\(Moment(budget - 5).text) s: phone: task 1 expires"])
    #expect(script.endTask("phone", 1) == ["ok", "freeze phone"])
  }

  @Test func `a task that is still open at the end kills the program`() {
    var script = Script()
    script.launched("phone")
    script.beginTask("phone")
    script.sendToBackground("phone")
    #expect(script.pass(to: 700) == ["595 s: phone: task 1 expires", "600 s: kill phone, task-limit"])
    #expect(script.takeNotes().suffix(2) == [.taskExpired(TaskID(1)), .killed(.taskLimit)])
  }

  @Test func `each open task expires once, in the order of their beginnings`() {
    var script = Script()
    script.launched("phone")
    script.beginTask("phone", "a")
    script.beginTask("phone", "b")
    script.sendToBackground("phone")
    script.beginTask("phone", "c")
    script.endTask("phone", 2)
    #expect(
      script.pass(to: 599) == ["595 s: phone: task 1 expires", "595 s: phone: task 3 expires"])
    script.endTask("phone", 1)
    #expect(script.endTask("phone", 3) == ["ok", "freeze phone"])
  }

  @Test func `in the last 5 s no task begins`() {
    var script = Script()
    script.launched("phone")
    script.beginTask("phone")
    script.sendToBackground("phone")
    script.pass(to: 594)
    #expect(script.beginTask("phone") == ["ok, task 2, 6 s"])
    script.pass(to: 595)
    script.beginTask("phone")
    #expect(script.refusal == .noBackgroundTime)
  }

  @Test func `a wake from sleep begins a new stay with the whole time`() {
    var script = Script()
    script.asleep("phone")
    script.pass(to: 1000)
    script.ready("phone")
    #expect(script.beginTask("phone") == ["ok, task 1, 600 s"])
    script.done("phone")
    #expect(
      script.pass(to: 1700) == ["1595 s: phone: task 1 expires", "1600 s: kill phone, task-limit"])
  }

  @Test func `a refused freeze begins no new stay`() {
    var script = Script()
    script.launched("phone")
    script.beginTask("phone")
    script.sendToBackground("phone")
    script.pass(to: 400)
    script.endTask("phone", 1)
    #expect(script.beginTask("phone") == ["ok, task 2, 200 s", "thaw phone"])
  }

  @Test func `in the foreground again the task goes on without a limit`() {
    var script = Script()
    script.launched("phone")
    script.beginTask("phone")
    script.sendToBackground("phone")
    script.pass(to: 596)
    script.command("phone", .foreground)
    script.did("phone")
    script.did("phone")
    #expect(script.remaining("phone") == ["ok, unlimited"])
    #expect(script.pass(to: 5000) == [])
    script.sendToBackground("phone")
    #expect(script.pass(to: 5600).first == "5595 s: phone: task 1 expires")
  }

  @Test func `a task keeps a program awake after the run time of a wake`() {
    var script = Script()
    script.asleep("phone")
    script.ready("phone")
    script.beginTask("phone")
    #expect(script.pass(to: 300) == [])
    #expect(script.endTask("phone", 1) == ["ok", "freeze phone"])
  }

  @Test func `an unknown task cannot end, and another program's cannot either`() {
    var script = Script()
    script.launched("one")
    script.launched("two")
    script.beginTask("one")
    script.endTask("one", 9)
    #expect(script.refusal == .noSuchTask(TaskID(9)))
    script.endTask("two", 1)
    #expect(script.refusal == .noSuchTask(TaskID(1)))
    #expect(script.endTask("one", 1) == ["ok"])
    script.endTask("one", 1)
    #expect(script.refusal == .noSuchTask(TaskID(1)))
  }

  @Test func `beside sound the time for tasks stands still`() throws {
    var script = Script()
    script.playing()
    script.beginTask("player")
    #expect(script.pass(to: 3600) == [])
    #expect(script.remaining("player") == ["ok, 600 s"])
    #expect(try script.view("player").leases.map(\.ends) == [nil, nil])
    #expect(script.beginTask("player", "another") == ["ok, task 2, 600 s"])
    script.quiet("player", 10)
    #expect(script.pass(to: 3611) == [])
    #expect(script.remaining("player") == ["ok, 599 s"])
    let end = ["4205 s: player: task 1 expires", "4205 s: player: task 2 expires"]
    #expect(script.pass(to: 5000) == end + ["4210 s: kill player, task-limit"])
  }

  @Test func `a task whose handler has run is not killed while its program is heard`() {
    var script = Script()
    script.launched("player", .audio)
    script.open("player")
    script.beginTask("player")
    script.sendToBackground("player")
    script.pass(to: 597)
    script.sounds("player")
    #expect(script.pass(to: 5000) == [])
    script.quiet("player")
    #expect(script.pass(to: 6000) == ["5003 s: kill player, task-limit"])
  }

  @Test func `recording stops the time for tasks as well`() {
    var script = Script()
    script.player("recorder", modes: .audio, category: .record) { $0.direction = .capture }
    script.hear("recorder", 1, .began)
    script.beginTask("recorder")
    #expect(script.pass(to: 3600) == [])
    #expect(script.remaining("recorder") == ["ok, 600 s"])
  }
}
