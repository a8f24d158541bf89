import LullEngine
import TestSupport
import Testing

/// The numbers of lines, tasks, sessions and notifications come to an end; the engine does not.
@Suite(.bounded) struct NumberTests {
  private func script(lastNumber: UInt32) -> Script {
    var script = Script(lastNumber: lastNumber)
    script.launched("phone")
    return script
  }

  @Test func `after the last number they begin anew at 1`() {
    var script = script(lastNumber: .max - 1)
    #expect(script.hold("phone") == ["ok, line 4294967295"])
    #expect(script.hold("phone") == ["ok, line 1"])
    #expect(script.beginTask("phone") == ["ok, task 4294967295"])
    #expect(script.beginTask("phone") == ["ok, task 1"])
    let id = script.id("phone")
    for number in ["4294967295", "1"] {
      let later = script.ask(.schedule(id, LocalNotification(body: "x"), .after(.seconds(100)), repeats: nil))
      #expect(later == ["ok, notification \(number)"])
      let session = SessionTraits(category: .playback)
      #expect(script.ask(.openSession(id, session)) == ["ok, session \(number)"])
    }
  }

  @Test(arguments: [.max, 1] as [UInt32])
  func `lines on both sides of the end are found`(number: UInt32) {
    var script = script(lastNumber: .max - 1)
    #expect(script.hold("phone") == ["ok, line 4294967295"])
    #expect(script.hold("phone") == ["ok, line 1"])
    let (id, line) = (script.id("phone"), LineID(number))
    var (engine, effects) = (script.engine, [Effect]())
    engine.handle(.lineLost(id, line), at: script.now, effects: &effects)
    #expect(effects.contains(.note(id, .lineLost(line))))
  }

  @Test func `those that are in use are left out`() {
    var script = script(lastNumber: .max - 4)
    #expect(script.hold("phone") == ["ok, line 4294967292"])
    for line: UInt32 in [.max - 2, .max - 1, .max, 1, 2, 3] {
      #expect(script.hold("phone") == ["ok, line \(line)"])
    }
    let id = script.id("phone")
    // Numbers 4294967294 and 2 are free, and the count stands before the first one.
    script.ask(.release(id, LineID(.max - 1)))
    script.ask(.release(id, LineID(2)))
    var engine = script.engine
    var given: [UInt32] = []
    for _ in 1...3 {
      var effects: [Effect] = []
      let answer = engine.handle(.hold(id, .voip, []), at: script.now, effects: &effects)
      if case .line(let line) = answer { given.append(line.number) }
    }
    #expect(given == [4, 5, 6])
  }

  @Test func `a line, a task and a notification of another program are in use as well`() {
    var script = script(lastNumber: 0)
    #expect(script.hold("phone") == ["ok, line 1"])
    var late = Script(lastNumber: .max - 1)
    late.launched("one")
    late.launched("two")
    #expect(late.hold("one") == ["ok, line 4294967295"])
    #expect(late.hold("one") == ["ok, line 1"])
    #expect(late.hold("two") == ["ok, line 2"])
    #expect(late.beginTask("one") == ["ok, task 4294967295"])
    #expect(late.beginTask("two") == ["ok, task 1"])
  }
}
