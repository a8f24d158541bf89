import LullChannel
import LullWire

/// The check for programs that sleep with no daemon to wake them.
enum LeftoverCheck {
  static func run() -> [CheckItem] {
    let roots = LeftoverSearch.roots()
    let held = Leftovers().held()
    guard !roots.isEmpty || !held.isEmpty else { return [] }
    // A root that the record names is listed already.
    let places = roots.filter { root in Leftovers().record()?.roots.contains(root) != true }
    let names = (held + places).joined(separator: ", ")
    let detail = "asleep, and the daemon that would wake them is gone: \(names)"
    return [CheckItem(name: "leftovers", .limited, detail, mend: "lull doctor --thaw")]
  }

  static func thaw() throws(Failure) {
    var released = Leftovers().releaseIfOrphaned() ?? Leftovers.Released()
    for root in LeftoverSearch.roots() { Leftovers.release(unwatched: root, &released) }
    // A daemon or guard that lives but is stopped is continued instead.
    released.continued += Leftovers().continueWatchers()
    let lines = released.thawed.map { "thawed \($0)" } + released.continued.map { "continued process \($0)" }
    try Output.say((lines.isEmpty ? ["nothing was left asleep"] : lines).map { "\($0)\n" }.joined())
    guard released.failures.isEmpty else {
      throw .failed("still held: \(released.failures.joined(separator: ", "))")
    }
  }
}
