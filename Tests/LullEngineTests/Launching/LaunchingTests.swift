import LullEngine
import TestSupport
import Testing

import enum LullSystem.ExitStatus

/// Programs that are started for their kept lines, for links, and in time.
@Suite(.bounded) struct LaunchingTests {
  private let policy = Policy()
  private var script = Script()

  @Test
  mutating func `nothing is started before something has come on a line, and then at once and one time`() {
    #expect(script.feed(.linesWait("a", after: .alone)) == [])
    #expect(script.feed(.linesReady("b")) == [])
    #expect(script.feed(.linesReady("a")) == ["start a, data"])
    #expect(script.feed(.linesReady("a")) == [])
    script.start("a")
    script.feed(.linesTaken("a"))
    script.exited("a", .exited(1))
    #expect(script.pass(to: 1000) == [] && script.engine.deadline == nil)
  }

  @Test mutating func `whoever restarts a program has time for it`() {
    script.feed(.linesWait("a", after: .restart))
    // Its end, which is told later, makes nothing sooner.
    script.feed(.linesWait("a", after: .alone))
    #expect(script.feed(.linesReady("a")) == [])
    #expect(script.engine.isLeftToOthers("a", at: script.now))
    #expect(script.pass(to: 10) == ["10 s: start a, data"])
    #expect(!script.engine.isLeftToOthers("a", at: script.now))
  }

  @Test mutating func `what came before somebody restarted a program starts nothing after its end`() {
    script.feed(.linesWait("a", after: .restart))
    script.feed(.linesReady("a"))
    script.start("a")
    script.exited("a", .exited(0))
    #expect(script.pass(to: 1000) == [])
  }

  @Test mutating func `a start for data that fails is tried again, later and later, and never given up`() {
    script.feed(.linesWait("a", after: .alone))
    #expect(script.feed(.linesReady("a")) == ["start a, data"])
    var now = 0.0
    for wait in [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300] as [Double] {
      script.ask(.launchFailed(program: "a"))
      // Data that is there already makes nothing sooner.
      script.feed(.linesReady("a"))
      now += wait
      #expect(script.pass(to: now) == ["\(Int(now)) s: start a, data"])
    }
  }

  @Test mutating func `a start of which nothing is heard has failed`() {
    script.ask(.admit("a", .boot))
    #expect(script.pass(to: 59) == [])
    #expect(script.pass(to: 60) == ["60 s: give up the start of a"])
    #expect(script.installed("a") == .failed)
    #expect(script.pass(to: 61) == ["61 s: start a, boot"])
  }

  @Test mutating func `one that ends before it has proved itself waits for its next start`() {
    script.feed(.linesWait("a", after: .alone))
    script.feed(.linesReady("a"))
    script.start("a")
    script.exited("a", .exited(1))
    script.feed(.linesWait("a", after: .alone))
    #expect(script.feed(.linesReady("a")) == [])
    #expect(script.pass(to: 1) == ["1 s: start a, data"])
    script.start("a")
    script.exited("a", .signaled(9))
    script.feed(.linesWait("a", after: .purge))
    #expect(script.feed(.linesReady("a")) == ["start a, data"])
  }

  @Test mutating func `one that does not take its lines is started once without them`() {
    #expect(script.feed(.linesWait("a", after: .letGo)) == ["start a, crash"])
    #expect(script.ask(.launchFailed(program: "a")) == ["ok"])
    #expect(script.pass(to: 1000) == [] && script.engine.deadline == nil)
  }

  @Test mutating func `data does not wait for the crash of an installed program that had proved itself`() {
    script.ask(.admit("a", .ended))
    script.start("a")
    script.exited("a", .exited(1))
    script.feed(.linesWait("a", after: .alone))
    #expect(script.feed(.linesReady("a")) == ["start a, data"])
  }

  @Test mutating func `what is quit is not started for its lines`() {
    script.ask(.admit("a", .ended))
    script.feed(.linesWait("a", after: .alone))
    script.ask(.forceQuit("a"))
    script.feed(.linesReady("a"))
    #expect(script.pass(to: 1000) == [])
  }

  @Test mutating func `eight that are needed start at once, and the others in their turn`() {
    let names = (0..<10).map { "p\($0)" }
    for name in names { script.ask(.launch(name, Launch(.user))) }
    #expect(names.map(script.engine.isOnItsWay) == names.indices.map { $0 < 8 })
    #expect(script.ask(.launchFailed(program: "p3")) == ["ok", "start p8, user"])
  }

  @Test mutating func `a program on its way hears of each link, in order, once it speaks`() {
    #expect(script.ask(.launch("a", Launch(.url, url: "sip:1"))) == ["ok", "start a, url sip:1"])
    #expect(script.ask(.launch("a", Launch(.url, url: "sip:2"))) == ["ok"])
    script.start("a")
    #expect(script.engine.isOnItsWay("a"))
    #expect(script.ask(.launch("a", Launch(.url, url: "sip:3"))) == ["ok"])
    var registration = Registration(name: "a", modes: .voip)
    registration.link = "sip:1"
    script.ask(.adopt(script.id("a"), registration))
    #expect(!script.engine.isOnItsWay("a"))
    var told: [String] = []
    for _ in 0..<3 { told += script.did("a").filter { $0.contains("open") } }
    #expect(told == ["a: open sip:1", "a: open sip:2", "a: open sip:3"])
  }

  @Test mutating func `a command that said nothing is started anew for the links that came`() {
    script.ask(.launch("a", Launch(.url, url: "sip:1")))
    script.start("a")
    script.ask(.launch("a", Launch(.url, url: "sip:2")))
    script.feed(.exited(script.id("a"), .exited(0)))
    #expect(script.engine.isOnItsWay("a"))
    script.start("a")
    _ = script.takeNotes()
    script.ask(.launch("a", Launch(.url, url: "sip:3")))
    script.pass(to: 60)
    #expect(script.takeNotes().contains(.linksLost(name: "a", count: 1)))
    #expect(!script.engine.isOnItsWay("a"))
    script.ask(.launch("a", Launch(.url, url: "sip:4")))
    #expect(script.refusal == .nameInUse("a"))
  }

  @Test mutating func `too many links are refused`() {
    for _ in 0...policy.maximumLinks { script.ask(.launch("a", Launch(.url, url: "sip:1"))) }
    #expect(script.answer == .done)
    script.ask(.launch("a", Launch(.url, url: "sip:1")))
    #expect(script.refusal == .busy(.launching))
  }
}
