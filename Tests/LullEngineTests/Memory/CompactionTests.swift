import LullEngine
import TestSupport
import Testing

/// The memory of sleepers is given back: soon after they fell asleep or not in that sleep, at most hourly.
@Suite(.bounded) struct CompactionTests {
  /// A script in which each program has processes of its own.
  static func script(_ configure: (inout Registration) -> Void = { _ in }) -> Script {
    var policy = Script.prompt
    policy.processes = ProcessPolicy()
    policy.processes?.lockCheck = .seconds(100_000)
    policy.processes?.lockCheckLast = .seconds(100_000)
    var script = Script(policy: policy)
    script.register("phone") {
      $0.resumes = .background
      configure(&$0)
    }
    script.hold("phone")
    putToSleep(&script)
    return script
  }

  private static func putToSleep(_ script: inout Script) {
    script.done("phone")
    script.frozen("phone")
  }

  /// Tells that memory was given back, in answer to the order of that ticket.
  private func answer(_ script: inout Script, _ ticket: Ticket, with result: CompactionResult) {
    script.feed(.compacted(script.id("phone"), ticket, result))
  }

  /// Lets time pass until memory is to be given back; nil when that does not come before `seconds`.
  private func ticket(_ script: inout Script, before seconds: Double) -> Ticket? {
    script.pass(to: seconds).contains { $0.hasSuffix("compact phone") }
      ? script.compactionTicket("phone") : nil
  }

  @Test func `a sleeper gives its memory back after 10 s, once`() {
    var script = Self.script()
    #expect(script.pass(to: 9.9).isEmpty)
    #expect(script.pass(to: 10) == ["10 s: compact phone"])
    answer(&script, script.compactionTicket("phone"), with: .done(before: 100, after: 7))
    #expect(script.pass(to: 20_000).isEmpty)
  }

  @Test func `what came back at a wake stays for an hour`() throws {
    var script = Self.script()
    let first = try #require(ticket(&script, before: 10))
    answer(&script, first, with: .done(before: 100, after: 7))
    for seconds in [60, 3599.9] {
      script.pass(to: seconds)
      script.ready("phone")
      Self.putToSleep(&script)
    }
    #expect(script.pass(to: 7000).isEmpty)
    script.ready("phone")
    Self.putToSleep(&script)
    #expect(script.pass(to: 7010) == ["7010 s: compact phone"])
    let view = try #require(try script.view("phone").compaction)
    #expect((view.moment, view.before, view.after) == (Moment(10), 100, 7))
  }

  @Test func `a wake before the 10 s are over puts it off to the next sleep`() {
    var script = Self.script()
    script.pass(to: 8)
    script.ready("phone")
    Self.putToSleep(&script)
    #expect(script.pass(to: 17.9).isEmpty)
    #expect(script.pass(to: 18) == ["18 s: compact phone"])
  }

  @Test func `what a wake interrupted goes on in the next sleep`() throws {
    var script = Self.script()
    let first = try #require(ticket(&script, before: 10))
    script.pass(to: 11)
    script.ready("phone")
    answer(&script, first, with: .stopped)
    Self.putToSleep(&script)
    #expect(script.pass(to: 21) == ["21 s: compact phone"])
  }

  @Test func `an answer that comes after the wake counts for nothing`() throws {
    var script = Self.script()
    let first = try #require(ticket(&script, before: 10))
    script.ready("phone")
    answer(&script, first, with: .done(before: 100, after: 7))
    #expect(try script.view("phone").compaction == nil)
  }

  @Test func `where there is no place for memory it is tried again after an hour`() throws {
    var script = Self.script()
    let first = try #require(ticket(&script, before: 10))
    answer(&script, first, with: .refused)
    script.pass(to: 60)
    script.ready("phone")
    Self.putToSleep(&script)
    #expect(script.pass(to: 3600).isEmpty)
    script.ready("phone")
    Self.putToSleep(&script)
    #expect(script.pass(to: 3610) == ["3610 s: compact phone"])
  }

  @Test func `a program that is left out keeps its memory`() {
    var script = Self.script { $0.settings.staysInMemory = true }
    #expect(script.pass(to: 20_000).isEmpty)
  }

  @Test func `an engine inside the program gives nothing back`() {
    var script = Script()
    script.register("phone") { $0.resumes = .background }
    script.hold("phone")
    Self.putToSleep(&script)
    #expect(script.engine.deadline == nil)
  }
}
