import LullEngine
import TestSupport
import Testing

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

  @Test func `the locks of a sleeper are looked at once, after a second`() {
    var script = Self.script()
    #expect(script.pass(to: 0.9).isEmpty)
    #expect(script.pass(to: 100) == ["1 s: check store's locks"])
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

  @Test func `one that keeps its lock is woken less and less often`() {
    var script = Self.script()
    #expect(looks(&script, at: [1, 3, 7, 15, 23, 31]) == [1, 3, 7, 15, 23, 31])
  }

  /// The moments of the looks until then; at each of these moments somebody waits for the lock.
  private func looks(_ script: inout Script, at moments: [Double]) -> [Double] {
    var looks: [Double] = []
    for seconds in moments {
      let before = script.now
      let lines = script.pass(to: seconds)
      looks += lines.filter { $0.hasSuffix("check store's locks") }.map { _ in seconds }
      #expect(lines.allSatisfy { $0.hasPrefix("\(Moment(seconds).text) s: ") }, "since \(before.text) s")
      script.feed(.lockAwaited(script.id("store")))
      Self.putToSleep(&script)
    }
    return looks
  }

  @Test
  func `one that slept on after a look is looked at after a second again, one that was woken before is not`()
  {
    var script = Self.script()
    #expect(looks(&script, at: [1, 3]) == [1, 3])
    script.pass(to: 5)
    script.ready("store")
    Self.putToSleep(&script)
    #expect(script.pass(to: 8.9).isEmpty)
    #expect(script.pass(to: 9) == ["9 s: check store's locks"])
    script.ready("store")
    Self.putToSleep(&script)
    #expect(script.pass(to: 10) == ["10 s: check store's locks"])
  }
}
