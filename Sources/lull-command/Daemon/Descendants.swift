import LullChannel
import LullSystem

enum Descendants {
  static func of(_ roots: [Int32]) -> [Int32] {
    var found = roots
    var index = 0
    while index < found.count {
      found += ((try? children(of: found[index])) ?? []).filter { !found.contains($0) }
      index += 1
    }
    return found
  }

  /// The children of a process, without the keepers of other programs and without the daemon: as orphans they
  /// become children of a keeper whose program, or which itself, has started them.
  static func children(of pid: Int32) throws(SystemError) -> [Int32] {
    try Process.children(of: pid).filter { !isOfLull($0) }
  }

  /// True for a keeper or the daemon of this runtime directory. The names only say where it is worth to look:
  /// any program may have one. A keeper is who listens at one of the keepers' sockets, and the daemon has
  /// written down its processes.
  private static func isOfLull(_ pid: Int32) -> Bool {
    switch try? Process.commandName(of: pid) {
    case "lull-guard", "lulld":
      Leftovers().record()?.watchers.contains { $0.pid == pid && $0.exists } ?? false
    case "lull": isKeeper(pid)
    default: false
    }
  }

  private static func isKeeper(_ pid: Int32) -> Bool {
    let folder = RuntimeDirectory.keepers()
    let entries = (try? Files.entries(of: Array(folder.utf8))) ?? []
    return entries.contains { entry in
      UnixSocket.listener(path: "\(folder)/\(String(decoding: entry.name, as: UTF8.self))")?.pid == pid
    }
  }

  /// Does something with each of the processes once, also with those that are forked meanwhile.
  static func each(of roots: () -> [Int32], _ body: (Int32) -> Void) {
    var known: Set<Int32> = []
    for _ in 0..<passes {
      let new = of(roots()).filter { known.insert($0).inserted }
      guard !new.isEmpty else { return }
      for pid in new { body(pid) }
    }
  }

  private static let passes = 8
}
