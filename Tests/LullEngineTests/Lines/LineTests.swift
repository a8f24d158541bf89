import LullEngine
import TestSupport
import Testing

@Suite(.bounded) final class LineTakingTests {
  private let start = Moment(nanoseconds: 1_000_000_000_000)
  private let policy = Policy()
  private var taking: LineTaking
  private var now: Moment
  private let (door, peer) = (LineID(1), LineID(2))

  init() {
    taking = LineTaking(at: start, policy)
    now = start
  }

  /// The verdict of the next look, which is due.
  private func look(_ lines: LineTaking.Line..., isIdle: Bool = true) -> LineTaking.Verdict {
    now = taking.nextLook
    return taking.saw(lines, isIdle: isIdle, at: now)
  }

  @Test func `one look that finds it waiting for all of them is enough`() {
    #expect(look(.init(door, isUsed: true)) == .taken)
    #expect(taking.nextLook == .never)
  }

  /// The verdict of the last look of those that decide, before which nothing is decided.
  private func lastLook(_ lines: LineTaking.Line..., isIdle: Bool = true) -> LineTaking.Verdict {
    for number in 1..<policy.keptLooks {
      now = taking.nextLook
      let isStarting = number <= policy.keptLooks - policy.keptIdleLooks
      #expect(taking.saw(lines, isIdle: isIdle && !isStarting, at: now) == .undecided)
    }
    now = taking.nextLook
    return taking.saw(lines, isIdle: isIdle, at: now)
  }

  @Test func `who waits, and for none of them, does not take them, and is found out in time`() {
    #expect(lastLook(.init(door), .init(peer, takesPeers: false)) == .untaken([door, peer]))
    #expect(taking.nextLook == .never && now - start < policy.keptProvingTime)
  }

  @Test func `who is at work may still take them, and is believed in the end`() {
    while now - start < policy.keptTakingTime - policy.keptLookTime {
      #expect(look(.init(door, isReadable: true), isIdle: false) == .undecided)
    }
    #expect(look(.init(door, isReadable: true), isIdle: false) == .taken)
  }

  @Test func `a start that takes long is no reason, and what comes after it counts`() {
    for _ in 1...20 { #expect(look(.init(door), isIdle: false) == .undecided) }
    for _ in 1..<policy.keptIdleLooks { #expect(look(.init(door)) == .undecided) }
    #expect(look(.init(door)) == .untaken([door]))
  }

  @Test func `the looks that find it idle count in a row alone`() {
    for _ in 1..<policy.keptIdleLooks { #expect(look(.init(door)) == .undecided) }
    #expect(look(.init(door), isIdle: false) == .undecided)
    for _ in 1..<policy.keptIdleLooks { #expect(look(.init(door)) == .undecided) }
    #expect(look(.init(door)) == .untaken([door]))
  }

  @Test func `who has bound another socket to the address does not take it, also at work`() {
    #expect(lastLook(.init(door, hasRival: true), isIdle: false) == .untaken([door]))
  }

  @Test func `a rival that is gone, or of a line that is taken, is none`() {
    for _ in 1..<policy.keptLooks { _ = look(.init(door, hasRival: true), isIdle: false) }
    #expect(look(.init(door), isIdle: false) == .undecided)
    #expect(look(.init(door, isUsed: true, hasRival: true)) == .taken)
  }

  @Test func `what waited on a line and is gone was read`() {
    #expect(look(.init(door, isReadable: true)) == .undecided)
    #expect(look(.init(door)) == .taken)
  }

  @Test func `a connection that is left is no sign where the listening socket is taken`() {
    let left = LineTaking.Line(peer, takesPeers: false, isReadable: true)
    #expect(lastLook(.init(door, isUsed: true), left) == .taken)
  }

  @Test(arguments: [true, false])
  func `a client that is left alone all the time is a sign`(isAlone: Bool) {
    for _ in 1..<policy.keptLooks { _ = look(.init(door, isUsed: true), .init(peer, isReadable: isAlone)) }
    let verdict = look(.init(door, isUsed: true), .init(peer, isReadable: true))
    #expect(verdict == (isAlone ? .untaken([peer]) : .taken))
  }
}

/// A line that is no longer watched by itself, such as a line whose set has grown.
@Suite(.bounded) struct ForgottenLineTests {
  /// A command that is asleep since 2 s with a connection that it opened.
  private static func asleep() -> Script {
    var script = Script.observed()
    script.find("server", .opened)
    script.sleeps(.idle)
    return script
  }

  @Test func `is gone, and nothing else happens`() throws {
    var script = Self.asleep()
    #expect(try script.view("server").lines.map(\.id) == [LineID(1)])
    _ = script.takeNotes()
    #expect(script.feed(.lineForgotten(script.id("server"), LineID(1))) == [])
    #expect(script.takeNotes() == [])
    #expect(try script.view("server").lines.isEmpty)
    #expect(script.state("server") == .suspended)
  }

  @Test func `wakes nobody, neither by its bytes nor by its end`() {
    var script = Self.asleep()
    let id = script.id("server")
    script.feed(.lineForgotten(id, LineID(1)))
    #expect(script.ready("server", .data) == [])
    #expect(script.ready("server", .closed) == [])
    #expect(script.feed(.lineLost(id, LineID(1))) == [])
    #expect(script.state("server") == .suspended)
  }

  @Test func `gives no grace as a lost one does, in the middle of a look`() {
    for (isLost, look) in [(false, "watch server"), (true, "")] {
      var script = Self.asleep()
      script.pass(to: 100)
      script.ready("server", .data)
      script.pass(to: 100.025)
      let id = script.id("server")
      let effects = script.feed(isLost ? .lineLost(id, LineID(1)) : .lineForgotten(id, LineID(1)))
      #expect(effects.isEmpty == !isLost)
      script.find("server", .opened)
      #expect(script.observe(Observation([.waiting(.sources)], [.line(2)])) == look)
    }
  }

  @Test func `the others stay`() throws {
    var script = Self.asleep()
    script.pass(to: 100)
    script.ready("server", .data)
    script.pass(to: 100.025)
    script.find("server", .opened)
    script.feed(.lineForgotten(script.id("server"), LineID(1)))
    script.sleeps(Observation([.waiting(.sources)], [.line(2)]))
    #expect(try script.view("server").lines.map(\.id) == [LineID(2)])
    let effects = script.feed(.ready(script.id("server"), LineID(2), .data))
    #expect(effects.last == "server: woke, data on line 2")
  }
}
