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
      $0.allowsCompaction = false
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
    var moments: [String] = []
    for seconds in [1.0, 3, 7, 15, 31, 63, 123, 183] {
      moments += script.pass(to: seconds)
      script.feed(.lockAwaited(script.id("store")))
      Self.putToSleep(&script)
    }
    #expect(moments == [1, 3, 7, 15, 31, 63, 123, 183].map { "\($0) s: check store's locks" })
  }
}
