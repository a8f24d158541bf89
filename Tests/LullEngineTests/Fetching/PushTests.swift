import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct PushTests {
  private static func sleeper(_ modes: Modes = .remoteNotification) -> Script {
    var script = Script()
    script.launched("mail", modes)
    script.sendToBackground("mail")
    script.frozen("mail")
    return script
  }

  @Test func `a push wakes its program, which has 30 s for it`() throws {
    var script = Self.sleeper()
    #expect(script.push("mail", "new") == ["ok", "thaw mail", "mail: woke, push", "mail: push new"])
    #expect(try script.view("mail").leases.map(\.kind) == [.push])
    #expect(try script.view("mail").leases.first?.ends == Moment(30))
    #expect(script.fetched("mail", .newData) == ["freeze mail"])
    #expect(script.takeNotes().contains(.errandEnded(.push, .newData, after: .zero)))
  }

  @Test func `each push has its own time`() throws {
    var script = Self.sleeper()
    script.push("mail", "one")
    script.pass(to: 20)
    script.push("mail", "two")
    #expect(try script.view("mail").leases.first?.ends == Moment(50))
    #expect(script.pass(to: 49) == [])
    #expect(script.pass(to: 50) == ["50 s: freeze mail"])
  }

  @Test func `in the foreground it is told at once, and no time runs`() throws {
    var script = Script()
    script.launched("mail", .remoteNotification)
    #expect(script.push("mail", "new") == ["ok", "mail: push new"])
    #expect(try script.leases("mail") == [])
  }

  @Test func `it needs the mode, and too many that wait are refused`() {
    var script = Script()
    script.launched("phone")
    script.push("phone", "new")
    #expect(script.refusal == .wrongMode(.remoteNotification))
    script.register("mail", .remoteNotification)
    for _ in 0..<16 { #expect(script.push("mail", "new") == ["ok"]) }
    script.push("mail", "new")
    #expect(script.refusal == .busy(.launching))
  }

  @Test func `a command is only woken`() throws {
    var script = Script.observed { $0.settings.modes = [.remoteNotification] }
    script.sleeps(Observation([.waiting(.sources)], []))
    #expect(script.push("server", "") == ["ok", "thaw server", "server: woke, push"])
  }

  @Test func `the title is shown, but not for a program in the foreground`() {
    var script = Self.sleeper()
    #expect(script.ask(.announce("3 new", program: "mail")) == ["ok", "show mail's 1, 3 new"])
    #expect(script.ask(.announce("News", program: "ended")) == ["ok", "show ended's 2, News"])
    script.launched("news", .remoteNotification)
    #expect(script.ask(.announce("News", program: "news")) == ["ok"])
  }
}

@Suite(.bounded) struct PushLaunchTests {
  private static func ended() -> Script {
    var script = Script()
    script.ask(.admit("mail", .ended))
    return script
  }

  private static func launch(_ text: String) -> Launch {
    Launch(.push(RemoteNotification(payload: Array(text.utf8))))
  }

  @Test func `a program that has ended is started, and hears of it and of what came meanwhile`() {
    var script = Self.ended()
    #expect(script.ask(.launch("mail", Self.launch("one"))) == ["ok", "start mail, push one"])
    #expect(script.ask(.launch("mail", Self.launch("two"))) == ["ok"])
    script.register("mail", .remoteNotification) { $0.launch = .background }
    script.did("mail")
    script.did("mail")
    #expect(script.did("mail").filter { $0.contains("push") } == ["mail: push one", "mail: push two"])
  }

  @Test func `a command that never registers is started anew for the second one alone`() {
    var script = Self.ended()
    script.ask(.launch("mail", Self.launch("one")))
    script.ask(.launch("mail", Self.launch("two")))
    script.run("mail")
    #expect(script.feed(.exited(script.id("mail"), .exited(0))).contains("start mail, push two"))
    script.run("mail")
    #expect(!script.feed(.exited(script.id("mail"), .exited(0))).contains { $0.hasPrefix("start") })
  }

  @Test func `a program that was quit is not started`() {
    var script = Self.ended()
    script.ask(.forceQuit("mail"))
    script.ask(.launch("mail", Self.launch("one")))
    #expect(script.refusal == .wasQuit("mail"))
  }
}
