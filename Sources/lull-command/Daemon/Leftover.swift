import LullChannel

/// Programs that a daemon left asleep when it was killed together with its guard, as `lull` finds them.
enum Leftover {
  static func releaseAtStart() {
    guard (try? RuntimeDirectory.check()) != nil else { return }
    tell(Leftovers().releaseIfOrphaned())
  }

  static func tell(_ released: Leftovers.Released?) {
    guard let released, !released.isEmpty else { return }
    Output.complain(released.text)
  }

  /// Continues a daemon that does not answer because it, its guard or whoever thaws what they have left was
  /// stopped; false when none was. No program is unfrozen: the continued daemon supervises them again.
  @discardableResult
  static func continueDaemon() -> Bool {
    let continued = Leftovers().continueWatchers()
    guard !continued.isEmpty else { return false }
    let numbers = continued.map { "\($0)" }.joined(separator: " and ")
    let words = continued.count == 1 ? ("process", "was") : ("processes", "were")
    Output.complain(
      "the daemon did not answer; \(words.0) \(numbers) of Lull \(words.1) stopped, and \(words.1) continued")
    return true
  }
}
