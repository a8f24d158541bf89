import LullChannel

/// The programs that lulld has frozen, as its guard lets them go without it. The guard touches nothing of a
/// program that could block it.
struct FrozenPrograms {
  /// The directory of the programs' cgroups; nil for none.
  private let root: String?
  private let store: FdStore

  init(root: String?, _ store: FdStore) { (self.root, self.store) = (root, store) }

  /// Thaws everything before the first lulld, which begins a record of its own.
  func thawCgroups() { if let root { CgroupPlace.thawAll(root: root) } }

  /// Thaws everything. The record stays while lulld lives, since lulld goes on with it. The place is thawed
  /// in case the record is gone.
  func thawAll(forgetting: Bool = false) {
    thawCgroups()
    Leftovers().release(forgetting: forgetting)
    store.continueStopped()
  }

  /// Begins the record for the next lulld.
  func beginRecord() { Guard.log.ignoring(.removed, try Leftovers().begin(root: root)) }

  /// Removes the cgroups that are empty, and the record, after the last lulld. Programs that are handed over
  /// stay in theirs: the next lulld freezes them there.
  func leave(handingOver: Bool) {
    if handingOver {
      // Whoever waits for its program is to wait for the next lulld.
      Guard.log.ignoring([], try Leftovers().beginHandover())
    } else if let root {
      CgroupPlace.removeAll(root: root)
    }
    Leftovers().release()
  }
}
