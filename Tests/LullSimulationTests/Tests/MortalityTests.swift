import Glibc
import LullEngine
import TestSupport
import Testing

/// Worlds in which any process of Lull dies or stops between any two of its deeds, and the machine with them.
@Suite(.bounded(seconds: 300)) struct MortalityTests {
  /// `LULL_MORTAL_SEED=7`, or a range.
  private static var seeds: [UInt64] {
    let text = unsafe getenv("LULL_MORTAL_SEED").map { unsafe String(cString: $0) } ?? "1-20"
    let parts = text.split(separator: "-").compactMap { UInt64($0) }
    guard let first = parts.first, let last = parts.last, first <= last else { return [] }
    return Array(first...last)
  }

  /// `LULL_MORTAL_LINES=4000`: the last steps that a failure tells.
  private static var lines: Int {
    unsafe getenv("LULL_MORTAL_LINES").flatMap { unsafe Int(String(cString: $0)) } ?? 60
  }

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
        \(again.trace.text(lines))
        Replay: LULL_MORTAL_SEED=\(seed) LULL_STEPS=\(steps) swift test --filter MortalityTests
        """
      return (error.rule, text)
    }
  }

  @Test(arguments: seeds)
  func `every rule holds in every step of a mortal world`(seed: UInt64) {
    let failure = Self.failure(MortalWorld(seed: seed), seed: seed)
    if let failure { Issue.record(Comment(rawValue: failure.text)) }
  }

  private static let rules: [(rule: String, mistakes: [MortalMistake])] = [
    ("watched", [.guardThawsNothing]), ("started-once", [.forgetsPrograms]),
    ("one-end", [.forgetsEnds, .notesAnotherProcess]), ("stays-quit", [.forgetsInstalled]),
    ("comes-back", [.startsNothingAgain]), ("one-wake", [.wakesTwice]),
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
    for seed in 1...20 as ClosedRange<UInt64> {
      let world = MortalWorld(seed: seed)
      #expect(Self.failure(world, seed: seed) == nil)
      sightings.merge(world.rules.sightings, uniquingKeysWith: +)
    }
    #expect(Self.rules.map(\.rule).filter { sightings[$0, default: 0] < 2 } == [])
  }

  @Test func `the same seed gives the same deaths`() throws {
    let texts = ([7, 7, 8] as [UInt64]).map { seed in
      let world = MortalWorld(seed: seed)
      return "\(Self.failure(world, seed: seed)?.text ?? "") \(world.trace.text(Self.lines))"
    }
    #expect(texts[0] == texts[1])
    #expect(texts[0] != texts[2])
  }
}
