import LullEngine

/// lull-guard: it thaws everything when lulld dies or stands still, starts it again, and has the kept lines.
final class MortalGuard {
  enum News {
    case keep(MortalSocket)
    case drop(MortalSocket)
    /// Everything is told anew from here on; without a word `told` drops what was not.
    case anew, told
    case stopping
  }

  var inbox: [News] = []
  private(set) var lines: [MortalSocket] = []
  var continuesAt: Int64?
  /// It has said that it watches.
  private(set) var isWatching = false
  private var old: [MortalSocket] = []
  private var isStopping = false
  private var child: Int?
  private var startsAt: Int64?
  private var isAfterFault = false
  /// Set until it has started its first daemon.
  private var boots: Bool?
  /// The daemon has started it, in place of another one; false where it has started the daemon.
  private(set) var isChild: Bool

  /// A guard that starts a daemon, or guards a daemon that runs.
  init(guarding child: Int?, keeping lines: [MortalSocket], boots: Bool?, at now: Int64) {
    (self.child, self.lines, self.boots, isChild) = (child, lines, boots, child != nil)
    if child == nil { startsAt = now }
  }

  var isStopped: Bool { continuesAt != nil }

  /// The guard has the line, or has been told of it.
  func has(_ line: MortalSocket) -> Bool {
    lines.contains { $0 === line }
      || inbox.contains { if case .keep(let told) = $0 { told === line } else { false } }
  }

  func next(_ world: MortalWorld) -> Int64 {
    guard !isStopped else { return .max }
    if let child, world.daemon?.number != child || world.daemon?.isStopped == true { return world.now }
    if !inbox.isEmpty || child != nil && !isWatching { return world.now }
    return startsAt ?? .max
  }

  func step(_ world: MortalWorld) {
    if let child, world.daemon?.number != child { return childEnded(world) }
    if child != nil, let daemon = world.daemon, daemon.isStopped {
      world.thawAll(unless: .guardThawsNothing)
      daemon.continuesAt = nil
      return daemon.fromGuard.append(.thawed)
    }
    if !inbox.isEmpty { return hear(inbox.removeFirst()) }
    if let child {
      isWatching = true
      if world.daemon?.number == child { world.daemon?.fromGuard.append(.begin) }
      return
    }
    start(world)
  }

  /// The daemon has begun: its ledger knows of the fault.
  func daemonBegan() { isAfterFault = false }

  private func start(_ world: MortalWorld) {
    world.thawAll(unless: .guardThawsNothing)
    let daemon = world.startDaemon(isAfterFault: isAfterFault, isToBoot: boots)
    (child, startsAt, boots, isChild) = (daemon.number, nil, nil, false)
    isWatching = true
    for line in lines where world.mistake != .losesLines { daemon.fromGuard.append(.socket(line)) }
    daemon.fromGuard.append(.begin)
  }

  private func childEnded(_ world: MortalWorld) {
    world.thawAll(unless: .guardThawsNothing)
    while !inbox.isEmpty { hear(inbox.removeFirst()) }
    child = nil
    guard !isStopping, world.lastDeath != .inGoodOrder else { return world.guardLeaves() }
    if world.lastDeath == .byFault { isAfterFault = true }
    // The real guard waits longer after each short life; the lives are not counted here.
    startsAt = world.now + (world.chance.happens(300) ? Int64(world.chance.below(30_000_000_000)) : 0)
  }

  private func hear(_ news: News) {
    switch news {
    case .keep(let line):
      old.removeAll { $0 === line }
      if !lines.contains(where: { $0 === line }) { lines.append(line) }
      line.isKept = true
    case .drop(let line):
      lines.removeAll { $0 === line }
      line.isKept = false
    case .anew: old = lines
    case .told:
      lines.removeAll { line in old.contains { $0 === line } }
      old = []
    case .stopping: isStopping = true
    }
  }
}
