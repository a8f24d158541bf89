import LullChannel

/// Programs that a daemon left asleep when it was killed together with its guard, as `lull` finds them.
enum Leftover {
  /// Unfreezes the programs before anything else is done, and reports them.
  static func releaseAtStart() {
    guard (try? RuntimeDirectory.check()) != nil else { return }
    tell(Leftovers().releaseIfOrphaned())
  }

  /// Reports in one text line which programs were unfrozen.
  static func tell(_ released: Leftovers.Released?) {
    guard let released, !released.isEmpty else { return }
    Output.complain(released.text)
  }

  /// Continues a daemon that accepts and does not answer, because it or its guard was stopped; false when
  /// neither was. No program is unfrozen: the continued daemon supervises them again.
  static func continueDaemon() -> Bool {
    let continued = Leftovers().continueWatchers()
    guard !continued.isEmpty else { return false }
    let processes = continued.map { "\($0)" }.joined(separator: " and ")
    Output.complain("the daemon was stopped and did not answer; it was continued (process \(processes))")
    return true
  }
}
