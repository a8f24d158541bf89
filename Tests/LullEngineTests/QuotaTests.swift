import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct QuotaTests {
  @Test func `a second program of the same name is refused, until the first has ended`() {
    var script = Script()
    script.launched("phone")
    let first = script.id("phone")
    #expect(script.register("phone") == ["refused"])
    #expect(script.refusal == .nameInUse("phone"))
    script.feed(.exited(first, .exited(0)))
    #expect(script.register("phone").first == "ok, inactive")
  }

  @Test func `the limit of programs`() {
    var policy = Policy()
    policy.maximumPrograms = 3
    var script = Script(policy: policy)
    for number in 1...3 { script.launched("phone\(number)") }
    script.register("phone4")
    #expect(script.refusal == .tooManyPrograms(3))
    script.feed(.exited(script.id("phone2"), .exited(0)))
    #expect(script.register("phone4").first == "ok, inactive")
  }

  @Test func `the limit of lines, by default 16,384`() throws {
    #expect(Policy().maximumLines == 16_384)
    var policy = Policy()
    policy.maximumLines = 256
    var script = Script(policy: policy)
    script.launched("phone")
    for number in 1...256 { #expect(script.hold("phone") == ["ok, line \(number)"]) }
    #expect(script.hold("phone") == ["refused"])
    #expect(script.refusal == .tooManyLines(256))
    let id = script.id("phone")
    #expect(script.ask(.release(id, LineID(256))) == ["ok"])
    #expect(script.hold("phone").first?.hasPrefix("ok") == true)
  }

  @Test func `the limit of tasks, by default 128`() {
    var script = Script()
    script.launched("phone")
    for number in 1...128 { #expect(script.beginTask("phone") == ["ok, task \(number)"]) }
    script.beginTask("phone")
    #expect(script.refusal == .tooManyTasks(128))
    script.endTask("phone", 7)
    #expect(script.beginTask("phone").first?.hasPrefix("ok") == true)
  }

  @Test func `a line needs the mode that it serves`() {
    var script = Script()
    script.launched("player", .audio)
    script.hold("player")
    #expect(script.refusal == .wrongMode(.voip))
    script.hold("player", .accessory)
    #expect(script.refusal == .wrongMode(.externalAccessory))
  }

  @Test func `a line that is not held cannot be released, nor another program's`() {
    var script = Script()
    script.launched("one")
    script.launched("two")
    script.hold("one")
    let (one, two) = (script.id("one"), script.id("two"))
    #expect(script.ask(.release(two, LineID(1))) == ["refused"])
    #expect(script.refusal == .noSuchLine(LineID(1)))
    #expect(script.ask(.release(one, LineID(1))) == ["ok"])
    #expect(script.ask(.release(one, LineID(1))) == ["refused"])
  }

  @Test func `a request for a program that is not there is refused`() {
    var script = Script()
    let nobody = AppID(slot: 7, generation: 0)
    let content = LocalNotification(body: "x")
    let requests: [Engine.Request] = [
      .hold(nobody, .voip, []), .release(nobody, LineID(1)), .keepAlive(nobody, .seconds(600), lastRun: nil),
      .beginTask(nobody, name: "x"), .endTask(nobody, TaskID(1)), .remaining(nobody),
      .present(nobody, content), .schedule(nobody, content, .after(.seconds(1)), repeats: nil),
      .cancel(nobody, nil), .transition(nobody, .wake), .adopt(nobody, Registration(name: "x")),
    ]
    for request in requests {
      #expect(script.ask(request) == ["refused"])
      #expect(script.refusal == .gone)
    }
    #expect(script.engine.deadline == nil)
  }

  @Test func `negative and endless intervals do no harm`() {
    var script = Script()
    script.launched("phone")
    script.keepAlive("phone", -600)
    #expect(script.refusal == .keepAliveTooShort(.seconds(-600), minimum: .seconds(600)))
    let id = script.id("phone")
    let endless = Interval(nanoseconds: .max)
    #expect(script.ask(.keepAlive(id, endless, lastRun: nil)) == ["ok"])
    let content = LocalNotification(body: "x")
    script.ask(.schedule(id, content, .after(endless), repeats: .every(endless)))
    script.ask(.schedule(id, content, .wall(.max), repeats: .every(endless)))
    #expect(script.pass(to: 1_000_000) == [])
  }
}
