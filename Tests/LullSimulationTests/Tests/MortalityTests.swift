import LullEngine
import TestSupport
import Testing

/// Worlds in which any process of Lull dies or stops between any two of its deeds, and the machine with them.
@Suite(.bounded(seconds: 300)) struct MortalityTests {
  private static func failure(
    _ world: MortalWorld, seed: UInt64, steps: Int = Environment.steps
  ) -> (rule: String, text: String)? {
    do throws(Violation) {
      try world.run(steps: steps)
      return nil
    } catch {
      let again = MortalWorld(seed: seed, mistake: world.mistake, isDetailed: true)
      try? again.run(steps: steps)
      let text = """
        seed \(seed), step \(world.steps), rule \(error.rule): \(error.what)
        \(again.trace.text(Environment.lines))
        Replay: LULL_MORTAL_SEED=\(seed) LULL_STEPS=\(steps) swift test --filter MortalityTests
        """
      return (error.rule, text)
    }
  }

  /// `LULL_MORTAL_SEED=7`, or a range.
  @Test(arguments: Environment.seeds("LULL_MORTAL_SEED", usual: "1-20"))
  func `every rule holds in every step of a mortal world`(seed: UInt64) {
    let failure = Self.failure(MortalWorld(seed: seed), seed: seed)
    if let failure { Issue.record(Comment(rawValue: failure.text)) }
  }

  private static let rules: [(rule: String, mistakes: [MortalMistake])] = [
    ("watched", [.guardThawsNothing, .leavesStopped]), ("started-once", [.forgetsPrograms]),
    ("one-end", [.forgetsEnds, .notesAnotherProcess]), ("stays-quit", [.forgetsInstalled]),
    ("comes-back", [.startsNothingAgain]), ("one-wake", [.wakesTwice]),
    ("reason", [.forgetsReasons]), ("waits-on", [.forgetsWaits]),
    ("good-order", [.leavesTooEarly]),
    ("keepalive-gap", [.forgetsKeepAlives]), ("kept-lines", [.losesLines, .neverDropsLines]),
    ("shown-once", [.forgetsShown]), ("poison", [.forgetsProgress]),
  ]

  @Test func `each mistake breaks its rule`() {
    for (rule, mistakes) in Self.rules {
      for mistake in mistakes {
        let broken = (1...40 as ClosedRange<UInt64>).contains { seed in
          Self.failure(MortalWorld(seed: seed, mistake: mistake), seed: seed)?.rule == rule
        }
        #expect(broken, "\(mistake) does not break \(rule)")
      }
    }
    #expect(Set(Self.rules.flatMap(\.mistakes)) == Set(MortalMistake.allCases))
  }

  @Test func `the worlds come to the case of each rule`() {
    var sightings: [String: Int] = [:]
    for seed in 1...40 as ClosedRange<UInt64> {
      let world = MortalWorld(seed: seed)
      #expect(Self.failure(world, seed: seed) == nil)
      sightings.merge(world.rules.sightings, uniquingKeysWith: +)
    }
    let reasons = LaunchReason.allCases.map { "reason \($0)" }
    let cases = Self.rules.map(\.rule).filter { $0 != "reason" } + reasons
    #expect(cases.filter { sightings[$0, default: 0] < 2 } == [])
  }

  @Test func `the same seed gives the same deaths`() throws {
    let texts = ([7, 7, 8] as [UInt64]).map { seed in
      let world = MortalWorld(seed: seed)
      return "\(Self.failure(world, seed: seed)?.text ?? "") \(world.trace.text(Environment.lines))"
    }
    #expect(texts[0] == texts[1])
    #expect(texts[0] != texts[2])
  }
}
