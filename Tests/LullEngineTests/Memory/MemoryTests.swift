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

  @Test func `an engine inside the program gives nothing back`() {
    var script = Script()
    script.register("phone") { $0.resumes = .background }
    script.hold("phone")
    Self.putToSleep(&script)
    #expect(script.engine.deadline == nil)
  }
}

/// A sleeper that holds a lock for which another program waits is woken.
@Suite(.bounded) struct FileLockTests {
  private static func script() -> Script {
    var policy = Script.prompt
    policy.processes = ProcessPolicy()
    var script = Script(policy: policy)
    script.register("store") {
      $0.resumes = .background
      $0.settings.staysInMemory = true
    }
    script.hold("store")
    putToSleep(&script)
    return script
  }

  private static func putToSleep(_ script: inout Script) {
    script.done("store")
    script.frozen("store")
  }

  @Test func `a sleeper whose lock is awaited is woken`() {
    var script = Self.script()
    script.pass(to: 1)
    #expect(script.feed(.lockAwaited(script.id("store"))) == ["thaw store", "store: woke, lock"])
  }

  @Test func `a program that is awake is not woken for a lock`() {
    var script = Self.script()
    script.pass(to: 1)
    script.ready("store")
    #expect(script.feed(.lockAwaited(script.id("store"))).isEmpty)
  }
}

/// Programs in the background get a smaller share of the processor, unless they can be heard.
@Suite(.bounded) struct WeightTests {
  @Test func `an unmanaged client keeps its weight`() {
    var policy = Script.prompt
    policy.processes = ProcessPolicy()
    var script = Script(policy: policy)
    let said = script.register("aplay", .audio) {
      ($0.isUnmanaged, $0.speaks, $0.launch) = (true, false, .background)
    }
    #expect(!said.contains { $0.contains("weight") })
  }
}
