import LullChannel
import LullEngine
import LullGuard
import LullInspect
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// What becomes of the lines of a program that ends, with real sockets and a real reactor; nobody is
/// launched.
@Suite(.bounded) struct KeptLinesTests {
  private let services: SharedServices
  private let kept: KeptLines
  /// What the engine is told.
  private final class Told {
    var events: [String] = []

    func add(_ event: Event) {
      switch event {
      case .linesWait(let name, let ending): events.append("\(name) waits, \(ending)")
      case .linesReady(let name): events.append("\(name) ready")
      case .linesTaken(let name): events.append("\(name) taken")
      default: events.append("\(event)")
      }
    }

    func take() -> [String] {
      defer { events = [] }
      return events
    }
  }

  private let told = Told()
  private let program: Program

  init() throws {
    services = try SharedServices(DaemonOptions())
    kept = KeptLines(services, Policy(), tell: told.add)
    program = try testProgram("phone")
  }

  /// A line and its peer.
  private func line(_ number: UInt32?) throws -> (LineCopy, peer: DescriptorBox) {
    let (own, peer) = try UnixSocket.pair()
    let copy = LineCopy(
      line: number.map { LineID($0) }, descriptor: own, identity: try FileIdentity.of(own.raw),
      description: Socket.describe(own.raw))
    return (copy, peer)
  }

  private func hold(_ number: UInt32, _ copy: LineCopy, keeps: Bool, encrypted: Bool = false) {
    let hold = Request.Hold(descriptor: 9, name: "server", isEncrypted: encrypted)
    kept.hold(hold, as: LineID(number), of: program, copy, keeps: keeps)
  }

  /// The news for the guard, in words.
  private func news() -> [String] {
    kept.takeNews().map {
      switch $0 {
      case .keep(let message, _): "keep \(message[.line] ?? "")\(message[.waiting] == nil ? "" : " waiting")"
      case .drop(let message): "drop \(message[.line] ?? "")"
      }
    }
  }

  @Test func `a line is held from its declaration to its release, and the guard is told`() throws {
    let (copy, _) = try line(1)
    hold(1, copy, keeps: true)
    #expect(news() == ["keep 1"])
    kept.release(LineID(1), of: program.id)
    #expect(news() == ["drop 1"])
    #expect(!kept.hasLines(of: "phone"))
  }

  @Test(arguments: [true, false])
  func `what a program closes while it is ended to come back stays`(wasHeld: Bool) throws {
    let (copy, peer) = try line(1)
    hold(1, copy, keeps: wasHeld)
    kept.keep([copy], of: program)
    #expect(kept.setState([3], of: LineID(1), of: program.id) == .ok)
    kept.release(LineID(1), of: program.id)
    kept.prune(program.id) { _ in false }
    kept.silence(program.id)
    kept.ended(program, keeps: true)
    #expect(kept.items(of: "phone").count == 1)
    #expect(kept.hand("phone").map(\.state) == [[3]])
    withExtendedLifetime(peer) {}
  }

  @Test func `an encrypted line, and one of a program that did not ask, are not held`() throws {
    hold(1, try line(1).0, keeps: true, encrypted: true)
    hold(2, try line(2).0, keeps: false)
    #expect(news() == [])
    kept.keep([try line(1).0], of: program)
    #expect(news() == [], "an encrypted line is not kept for a restart either")
  }

  @Test func `after a crash it waits, is given to the next life with its state, and taken`() throws {
    let (copy, peer) = try line(1)
    hold(1, copy, keeps: true)
    #expect(kept.setState([1, 2], of: LineID(1), of: program.id) == .ok)
    kept.ended(program, keeps: true)
    #expect(news() == ["keep 1", "keep 1", "keep 1 waiting"])
    let item = try #require(kept.items(of: "phone").first)
    #expect(item[.name] == "server" && item[.kept] != nil)
    try StandardStreams.write([7], to: peer.raw)
    try services.reactor.wait(timeoutMilliseconds: patience)
    kept.ready(LineID(1), .readable)
    #expect(told.take() == ["phone taken", "phone waits, alone", "phone ready"])
    #expect(kept.readable(of: "phone")?.name == "server")
    #expect(kept.hand("phone").map(\.state) == [[1, 2]])
    #expect(kept.descriptor(of: LineID(1), "phone") != nil)
    #expect(kept.descriptor(of: LineID(1), "other") == nil)
    let next = try testProgram("phone")
    kept.started(next)
    #expect(kept.items(of: nil).isEmpty)
    kept.hold(Request.Hold(descriptor: 3), as: LineID(5), of: next, copy, keeps: false)
    #expect(news() == ["drop 1"])
    #expect(kept.deadline == nil)
  }

  @Test func `one that has taken all of them has not failed when it ends later`() throws {
    let copies = [try line(1), try line(2)]
    for (number, copy) in zip(UInt32(1)..., copies) { hold(number, copy.0, keeps: true) }
    kept.ended(program, keeps: true)
    #expect(kept.hand("phone").count == 2)
    let next = try testProgram("phone")
    kept.started(next)
    for (number, copy) in zip(UInt32(5)..., copies) {
      kept.hold(Request.Hold(descriptor: 3), as: LineID(number), of: next, copy.0, keeps: true)
    }
    #expect(told.take().last == "phone taken")
    kept.ended(next, keeps: true)
    kept.ready(LineID(4), .readable)
    #expect(told.take() == ["phone waits, alone", "phone ready"])
  }

  @Test func `a life that ends by a crash before it has taken them leaves them to the next one`() throws {
    program.parts(.keepingLines(restarts: true))
    hold(1, try line(1).0, keeps: true)
    kept.ended(program, keeps: true)
    #expect(kept.hand("phone").count == 1)
    let next = try testProgram("phone")
    kept.started(next)
    kept.ended(next, keeps: true)
    #expect(kept.hand("phone").count == 1)
    kept.ended(next, keeps: false)
    #expect(kept.hand("phone").isEmpty)
  }

  @Test func `a command that crashes as soon as it has them is started once without them`() throws {
    let (copy, peer) = try line(nil)
    program.parts(.keepingLines(restarts: true))
    kept.keep([copy], of: program)
    kept.ended(program, keeps: true)
    #expect(kept.hand("phone").count == 1)
    let next = try testProgram("phone", id: AppID(slot: 1, generation: 0))
    kept.started(next)
    kept.ended(next, keeps: true)
    #expect(!kept.hasLines(of: "phone"))
    #expect(services.journal.last(["kept-line-closed"], of: "phone") != nil)
    #expect(told.take().suffix(1) == ["phone waits, letGo"])
    kept.started(try testProgram("phone", id: AppID(slot: 2, generation: 0)))
    #expect(kept.deadline == nil && told.take() == ["phone taken"])
    withExtendedLifetime(peer) {}
  }

  @Test func `what is kept anew after another life is kept since then`() throws {
    let (copy, peer) = try line(1)
    hold(1, copy, keeps: true)
    kept.ended(program, keeps: true)
    let first = try #require(kept.hand("phone").first?.since)
    let next = try testProgram("phone")
    kept.started(next)
    kept.ended(next, keeps: true)
    #expect(try first < #require(kept.hand("phone").first?.since))
    withExtendedLifetime(peer) {}
  }

  @Test func `a restart is over for the next daemon, too, when the program has its lines again`() throws {
    program.parts(.keepingLines(restarts: true))
    kept.keep([try line(nil).0], of: program)
    kept.ended(program, keeps: true)
    #expect(kept.hand("phone").first?.ending == .restart)
    _ = kept.takeNews()
    kept.started(try testProgram("phone"))
    guard case .keep(let message, _)? = kept.takeNews().last else {
      Issue.record("the guard is not told")
      return
    }
    #expect(message[.waiting] != nil && message[.why] == nil, "\(message)")
  }

  @Test func `the guard has what a command waits for from its sleep to its wake`() throws {
    let copies = [try line(nil), try line(nil)]
    kept.sleeps(program, with: copies.map(\.0))
    #expect(news() == ["keep 1", "keep 2"])
    kept.woke(program.id)
    #expect(news() == ["drop 1", "drop 2"])
    #expect(!kept.hasLines(of: "phone"))
    kept.sleeps(program, with: copies.map(\.0))
    kept.keep(copies.map(\.0), of: program)
    kept.woke(program.id)
    kept.ended(program, keeps: true)
    #expect(news() == ["keep 3", "keep 4", "keep 3 waiting", "keep 4 waiting"])
  }

  @Test func `what a command slept with that outlives its daemon is held a while longer`() throws {
    let services = try SharedServices(DaemonOptions())
    var policy = Policy()
    policy.keptLivingTime = .seconds(0)
    let kept = KeptLines(services, policy) { _ in }
    for isAsleep in [true, false] {
      let copy = try line(nil).0
      let record = KeptLine(id: LineID(7), program: "phone")
      kept.restore(record, DescriptorBox(try .duplicating(copy.descriptor.raw)), isRunning: true)
      kept.letsGoSoon(LineID(7))
      if isAsleep { kept.sleeps(program, with: [copy]) }
      #expect(kept.hasLines(of: "phone"))
      kept.timeIsUp { _ in true }
      #expect(kept.hasLines(of: "phone") == isAsleep && kept.deadline == nil)
      kept.woke(program.id)
    }
  }

  @Test func `a line whose program has ended under this daemon waits at once`() throws {
    let copy = try line(nil).0
    let record = KeptLine(id: LineID(7), program: "phone", ending: .purge)
    kept.restore(record, copy.descriptor, isRunning: false, hasEnded: true)
    #expect(news() == ["keep 7 waiting"])
    #expect(kept.items(of: "phone").count == 1 && kept.deadline == nil)
  }

  @Test func `sleeping commands leave half of the room to those that have ended`() throws {
    var policy = Policy()
    policy.maximumKeptLines = 4
    let kept = KeptLines(services, policy) { _ in }
    kept.sleeps(program, with: try (0..<3).map { _ in try line(nil).0 })
    #expect(kept.takeNews().count == 2)
    let other = try testProgram("other", id: AppID(slot: 1, generation: 0))
    kept.keep(try (0..<2).map { _ in try line(nil).0 }, of: other)
    #expect(kept.takeNews().count == 2)
    #expect(!services.journal.hasEntries(of: "phone") && !services.journal.hasEntries(of: "other"))
  }

  @Test func `a command that sleeps before it has proved itself keeps its lines as a sleeper`() throws {
    let services = try SharedServices(DaemonOptions())
    var policy = Policy()
    policy.keptProvingTime = .seconds(0)
    let kept = KeptLines(services, policy) { _ in }
    let (copy, peer) = try line(nil)
    kept.keep([copy], of: program)
    kept.ended(program, keeps: true)
    _ = kept.hand("phone")
    let next = try testProgram("phone", id: AppID(slot: 1, generation: 0))
    kept.started(next)
    kept.sleeps(next, with: [copy])
    _ = kept.takeNews()
    kept.stopLooking(at: next.id)
    kept.timeIsUp { _ in true }
    #expect(kept.takeNews().count == 1 && kept.hasLines(of: "phone") && kept.deadline == nil)
    kept.woke(next.id)
    #expect(!kept.hasLines(of: "phone"))
    withExtendedLifetime(peer) {}
  }

  @Test func `a start that did not ask for them ends them`() throws {
    let (copy, peer) = try line(nil)
    kept.keep([copy], of: program)
    kept.ended(program, keeps: true)
    kept.started(try testProgram("phone"))
    #expect(!kept.hasLines(of: "phone"))
    #expect(services.journal.hasEntries(of: "phone"))
    _ = peer
  }

  @Test func `what is too many is refused with the reason, and others have room`() throws {
    let copies = try (0...Limits.maximumKeptLines).map { _ in try line(nil).0 }
    kept.keep(copies, of: program)
    #expect(news().count == Limits.maximumKeptLines)
    let entry = services.journal.last(["kept-lines-full"], of: "phone")
    let why = entry?.detail.flatMap(Explanation.init)
    #expect(why?.verb == .keptFullOfOne && why?.limit == 48, "\(String(describing: entry))")
    kept.keep([copies[0]], of: try testProgram("other", id: AppID(slot: 1, generation: 0)))
    #expect(kept.hasLines(of: "other"))
  }

  @Test func `the next daemon watches what waits, and gives the others time to come back`() throws {
    let (waiting, _) = try line(nil), (standby, _) = try line(nil)
    kept.restore(KeptLine(id: LineID(4), program: "a", isWaiting: true), waiting.descriptor, isRunning: false)
    kept.restore(KeptLine(id: LineID(9), program: "b"), standby.descriptor, isRunning: false)
    #expect(kept.items(of: nil).map { $0[.program] } == ["a"])
    #expect(kept.deadline != nil)
    // Their numbers are not given again.
    kept.keep([try line(nil).0], of: program)
    #expect(news().last == "keep 10")
    #expect(kept.hand("b").map(\.id.number) == [9])
  }
}
