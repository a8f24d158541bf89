import LullEngine
import TestSupport
import Testing

@Suite(.bounded) struct WakeBudgetTests {
  @Test func `fifteen wakes in 300 s are nothing, the sixteenth is noted once`() throws {
    var script = Script()
    script.asleep("phone")
    for number in 1...20 {
      script.pass(to: Double(number) * 10)
      wakeOnce(&script)
      #expect(overBudget(&script) == (number == 16 ? [16] : []))
      #expect(try script.view("phone").isOverBudget == (number >= 16))
    }
  }

  @Test func `a second crossing is noted again`() {
    var script = Script()
    script.asleep("phone")
    for round in 0..<2 {
      for number in 1...16 {
        script.pass(to: Double(round * 1000 + number))
        wakeOnce(&script)
      }
      #expect(overBudget(&script) == [16])
    }
  }

  @Test func `wakes more than 300 s apart do not add up`() throws {
    var script = Script()
    script.asleep("phone")
    for number in 1...40 {
      script.pass(to: Double(number) * 21)
      wakeOnce(&script)
    }
    #expect(overBudget(&script) == [])
  }

  @Test func `a program over its budget is woken at once all the same`() {
    var script = Script()
    script.asleep("phone")
    for number in 1...30 {
      script.pass(to: Double(number))
      #expect(script.ready("phone") == ["thaw phone", "phone: woke, data on line 1"])
      script.done("phone")
      script.frozen("phone")
    }
  }

  @Test func `batchWakes delays data over the budget to so long after the last wake`() {
    var script = Script()
    script.asleep("phone") { $0.settings.batchWakes = .seconds(30) }
    for number in 1...16 {
      script.pass(to: Double(number))
      wakeOnce(&script)
    }
    _ = script.takeNotes()
    script.pass(to: 20)
    #expect(script.ready("phone") == [])
    #expect(script.takeNotes() == [.wakeDelayed(LineID(1), .seconds(26))])
    #expect(script.ready("phone") == [])
    #expect(
      script.pass(to: 50) == ["46 s: thaw phone", "46 s: phone: woke, data on line 1"])
  }

  @Test func `batchWakes delays neither a lost connection nor the operator nor a wake within the budget`() {
    var script = Script()
    script.asleep("phone") { $0.settings.batchWakes = .seconds(30) }
    for number in 1...16 {
      script.pass(to: Double(number))
      #expect(script.ready("phone").first == "thaw phone")
      script.done("phone")
      script.frozen("phone")
    }
    #expect(script.ready("phone", .closed).first == "thaw phone")
    script.done("phone")
    script.frozen("phone")
    #expect(script.command("phone", .wake) == ["ok", "thaw phone", "phone: woke, operator"])
  }

  @Test func `another wake takes the delayed one along`() {
    var script = Script()
    script.asleep("phone") { $0.settings.batchWakes = .seconds(30) }
    for number in 1...16 {
      script.pass(to: Double(number))
      wakeOnce(&script)
    }
    script.ready("phone")
    script.pass(to: 20)
    script.command("phone", .wake)
    script.done("phone")
    script.frozen("phone")
    #expect(script.pass(to: 100) == [])
  }

  private func wakeOnce(_ script: inout Script) {
    script.ready("phone")
    script.done("phone")
    script.frozen("phone")
  }

  private func overBudget(_ script: inout Script) -> [Int] {
    script.takeNotes().compactMap { if case .overBudget(let wakes) = $0 { wakes } else { nil } }
  }
}
