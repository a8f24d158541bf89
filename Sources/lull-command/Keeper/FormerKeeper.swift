import LullChannel
import LullSystem
import LullWire

/// The keeper of a program that runs on although its daemon has ended. It returns to the next daemon by
/// itself as soon as that accepts; whoever must know that it has, asks it.
enum FormerKeeper {
  /// Has a program that runs on come back to the daemon that runs; nil when there is none of that name, or
  /// the daemon knows it.
  ///
  /// Throws `failed` with the reason when it runs on and does not come back.
  @discardableResult
  static func bringBack(_ name: String) throws(Failure) -> KeeperMessage.Start? {
    guard try runsAlone(name), let keeper = try KeeperConnection(name) else { return nil }
    return try bringBack(name, keeper)
  }

  /// The same without a daemon, which is started when there is such a program.
  @discardableResult
  static func bringBackStarting(_ name: String) throws(Failure) -> KeeperMessage.Start? {
    guard try runsAlone(name), let keeper = try KeeperConnection(name) else { return nil }
    _ = try Daemon.connectStarting()
    return try bringBack(name, keeper)
  }

  /// True for a program with a keeper that no daemon knows. The race: a keeper that was stopped comes back by
  /// itself as soon as somebody has connected to it.
  private static func runsAlone(_ name: String) throws(Failure) -> Bool {
    guard ProgramName.isValid(name), Files.exists(KeeperFolders.ofThisUser.socket(of: name)) else {
      return false
    }
    return try !KeptPrograms.runs(name)
  }

  /// The same for all programs that the daemon does not know, or for that of one name. Of several, one that
  /// does not come back is passed over.
  static func bringBackAll(_ only: String?) throws(Failure) {
    if let only {
      try bringBack(only)
      return
    }
    let names = names()
    guard !names.isEmpty else { return }
    let items = try Daemon.askOverRestart(.status(name: nil)).items
    let known = items.compactMap { $0.itemKind == .program ? $0[.name] : nil }
    for name in names where !known.contains(name) { _ = try? bringBack(name) }
  }

  private static func bringBack(_ name: String, _ keeper: KeeperConnection) throws(Failure)
    -> KeeperMessage.Start?
  {
    keeper.send(.return)
    switch try keeper.answer()?.0 {
    case .running(let start): return start
    case .refused(_, let message):
      let pid = keeper.living().first
      throw .failed("\(name) still runs\(pid.map { " (pid \($0))" } ?? ""): \(message)")
    // It has ended meanwhile.
    default: return nil
    }
  }

  /// True when a keeper has that name whose program runs. One whose program has ended may wait for its last
  /// output, which another process holds open.
  static func isThere(_ name: String) throws(Failure) -> Bool {
    guard let keeper = try KeeperConnection(name) else { return false }
    keeper.send(.watch)
    return try keeper.end(within: patience) == nil && !keeper.living().isEmpty
  }

  /// The time that a keeper may take to end whose program has ended, in nanoseconds.
  private static let patience: Int64 = 1_000_000_000

  /// The names of all programs that have a keeper, in their order.
  static func names() -> [String] {
    let entries = (try? Files.entries(of: Array(KeeperFolders.ofThisUser.sockets.utf8))) ?? []
    return entries.map { String(decoding: $0.name, as: UTF8.self) }.filter(ProgramName.isValid).sorted()
  }
}
