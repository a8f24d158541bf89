import LullSystem

/// Programs that a daemon left asleep when it was killed together with its guard, as `lull` meets them.
enum Leftover {
  /// Lets them go on before anything else is done, and says so.
  static func releaseAtStart() { tell(Leftovers().releaseIfOrphaned()) }

  /// Says in one line what was let go on.
  static func tell(_ released: Leftovers.Released?) {
    guard let released, !released.isEmpty else { return }
    Output.complain(released.text)
  }

  /// A descriptor of a process that the daemon started; nil when it has ended, or the number is another's.
  static func open(_ pid: Int32) -> DescriptorBox? {
    guard let pidfd = try? Process.pidfdOpen(pid), let parent = try? Process.parentPid(of: pid),
      Leftovers().record()?.watchers.contains(where: { $0.pid == parent }) == true
    else { return nil }
    return DescriptorBox(pidfd)
  }

  /// The daemon accepts and does not answer: somebody may have stopped it or its guard. Nothing is thawed:
  /// what it has put to sleep is its own again when it goes on.
  static func continueDaemon() {
    let continued = Leftovers().continueWatchers()
    guard !continued.isEmpty else { return }
    let processes = continued.map { "\($0)" }.joined(separator: " and ")
    Output.complain("the daemon was stopped and did not answer; it was continued (process \(processes))")
  }
}
