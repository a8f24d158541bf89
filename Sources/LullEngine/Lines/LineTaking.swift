/// Whether a command takes the lines that it got back, by looks at it while it runs. A client of a line that
/// is not taken would never be served. Moments are those of one clock of the caller.
public struct LineTaking: Equatable, Sendable {
  /// A line as a look finds it.
  public struct Line: Equatable, Sendable {
    /// The number of the kept line.
    public var id: LineID
    /// New peers come on it: it listens, or it is a datagram socket without a peer.
    public var takesPeers: Bool
    /// A thread waits for it, an epoll set has it, or the command has accepted a connection from it.
    public var isUsed: Bool
    /// Bytes or a connection wait on it.
    public var isReadable: Bool
    /// The command has bound another socket to the same address.
    public var hasRival: Bool

    /// A line for which nobody waits and on which nothing waits.
    public init(
      _ id: LineID, takesPeers: Bool = true, isUsed: Bool = false, isReadable: Bool = false,
      hasRival: Bool = false
    ) {
      (self.id, self.takesPeers, self.isUsed) = (id, takesPeers, isUsed)
      (self.isReadable, self.hasRival) = (isReadable, hasRival)
    }
  }

  /// The result of the looks so far.
  public enum Verdict: Equatable, Sendable {
    case undecided
    /// The command takes its lines, or is believed to.
    case taken
    case untaken([LineID])
  }

  private struct Seen: Equatable, Sendable {
    var last: Line
    var isTaken: Bool
    /// Something has waited on the line at each look.
    var isLeft: Bool
  }

  private let policy: Policy
  private let began: Moment
  private var lines: [Seen] = []
  private var looks = 0
  /// The number of last looks in a row at which each thread waited.
  private var idleLooks = 0
  /// The moment of the next look; `never` after the verdict.
  public private(set) var nextLook: Moment

  /// A command has just been started with its lines.
  public init(at now: Moment, _ policy: Policy) {
    (self.policy, began) = (policy, now)
    nextLook = now + policy.keptLookTime
  }

  /// Takes in a look. `isIdle`: each thread of the command waits, and all of its waits were read.
  public mutating func saw(_ seen: [Line], isIdle: Bool, at now: Moment) -> Verdict {
    looks += 1
    idleLooks = isIdle ? idleLooks + 1 : 0
    for line in seen { note(line) }
    let verdict = verdict(at: now)
    nextLook = verdict == .undecided ? now + policy.keptLookTime : .never
    return verdict
  }

  private mutating func note(_ line: Line) {
    guard let index = lines.firstIndex(where: { $0.last.id == line.id }) else {
      return lines.append(Seen(last: line, isTaken: line.isUsed, isLeft: line.isReadable))
    }
    let wasRead = lines[index].last.isReadable && !line.isReadable
    lines[index].isTaken = lines[index].isTaken || line.isUsed || wasRead
    lines[index].isLeft = lines[index].isLeft && line.isReadable
    lines[index].last = line
  }

  private func verdict(at now: Moment) -> Verdict {
    let untaken = lines.filter { !$0.isTaken }
    guard !untaken.isEmpty else { return .taken }
    guard looks >= policy.keptLooks else { return .undecided }
    let isIdle = idleLooks >= policy.keptIdleLooks
    // Most servers know listening sockets alone: a connection that is left is no sign where others are taken.
    let takesNone = untaken.count == lines.count
    let leaves = untaken.contains { line in
      line.last.hasRival || (isIdle && (takesNone || (line.last.takesPeers && line.isLeft)))
    }
    if leaves { return .untaken(untaken.map(\.last.id)) }
    return takesNone && now - began < policy.keptTakingTime ? .undecided : .taken
  }
}
