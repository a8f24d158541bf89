import LullChannel
import LullSystem
import LullWire

/// The end of a program that runs on without a daemon: its keeper tells which processes are the program's.
struct AloneEnding {
  /// The time that a program is given, and that the kernel may take for what was killed, in nanoseconds.
  private static let patience: Int64 = 5_000_000_000, killing: Int64 = 10_000_000_000

  private let name: String
  private let keeper: KeeperConnection
  private var processes: [DescriptorBox] = []

  /// The programs among these that run on without a daemon, and that the one that runs does not take either:
  /// it refuses them, or their first process has ended and others of them go on.
  static func names(among candidates: [String]) -> [String] {
    candidates.filter { name in
      guard Files.exists(KeeperFolders.ofThisUser.socket(of: name)) else { return false }
      do throws(Failure) {
        guard try FormerKeeper.bringBack(name) == nil, try !KeptPrograms.runs(name) else { return false }
      } catch {}
      let keeper = (try? KeeperConnection(name)) ?? nil
      return keeper.map { !$0.living().isEmpty } ?? false
    }
  }

  /// Ends a program and prints its end; nothing when it has ended meanwhile. The reason is for the next
  /// daemon, where it is known better than by the program's status.
  static func end(_ name: String, now isAtOnce: Bool, for reason: AloneEnds.Reason?) throws(Failure) {
    guard let keeper = try KeeperConnection(name) else { return }
    var ending = AloneEnding(name: name, keeper: keeper)
    keeper.send(.watch)
    guard let (words, status) = try ending.end(now: isAtOnce) else { return }
    if let reason { try? AloneEnds.note(name, status, for: reason) }
    try Output.say("\(name) \(words)\n")
  }

  private init(name: String, keeper: KeeperConnection) { (self.name, self.keeper) = (name, keeper) }

  private mutating func end(now isAtOnce: Bool) throws(Failure) -> (words: String, ExitStatus)? {
    send(isAtOnce ? [Signal.kill] : [Signal.terminate, Signal.continue])
    guard !processes.isEmpty else { return nil }
    var isKilled = isAtOnce
    if !isAtOnce, try !haveEnded(within: Self.patience) {
      isKilled = true
      // What its keeper has left behind at its own end is listed nowhere any more.
      for process in processes { try? Process.sendSignal(process.raw, Signal.kill) }
      send([Signal.kill])
    }
    if isKilled, try !haveEnded(within: Self.killing, by: [Signal.kill]) {
      throw .failed("\(name) was killed and has not ended; a process hangs")
    }
    let status = try farewell()
    guard !isKilled else { return ("was killed\(isAtOnce ? "" : " after 5 s")", .signaled(Signal.kill)) }
    return switch status {
    case .exited(let code): ("ended (status \(code))", status)
    case .signaled(let signal): ("ended (\(Signal.name(of: signal)))", status)
    case .unknown: ("ended", status)
    }
  }

  /// The status of the program, as its keeper tells it. A keeper that does not answer at all is killed:
  /// nobody knows what it would do once it goes on.
  private func farewell() throws(Failure) -> ExitStatus {
    // A keeper writes the end to the disk before it tells it.
    let end = try keeper.end(within: KeeperConnection.bound)
    if case .ended(let status) = end { return status }
    guard !keeper.hasAnswered, end == nil, let process = keeper.process else { return .unknown }
    let text = "the keeper of \(name) (process \(process.pid)) did not answer and was killed"
    guard process.kill(within: Self.killing) else {
      throw .failed("\(name) has ended, but \(text) without an end; the process hangs")
    }
    Output.complain("\(text); the last output of \(name) may be missing")
    return .unknown
  }

  /// Sends signals to each of the program's processes that live, and takes note of them.
  private mutating func send(_ signals: [Int32]) {
    var found: [DescriptorBox] = []
    Descendants.each(of: { (try? keeper.processes()) ?? [] }) { pid in
      // One that has ended stays listed as long as its keeper stands still.
      guard let process = KeeperConnection.living(pid) else { return }
      for signal in signals { try? Process.sendSignal(process.raw, signal) }
      found.append(process)
    }
    processes += found
  }

  /// Waits until all processes have ended, those as well that are seen to have been started meanwhile, which
  /// get the signals; false when one has not within so many nanoseconds.
  private mutating func haveEnded(within bound: Int64, by signals: [Int32] = []) throws(Failure) -> Bool {
    let deadline = Clock.boottime() + bound
    while true {
      for process in processes where try !hasEnded(process, until: deadline) { return false }
      processes = []
      send(signals)
      if processes.isEmpty { return true }
      guard Clock.boottime() < deadline else { return false }
    }
  }

  private func hasEnded(_ process: DescriptorBox, until deadline: Int64) throws(Failure) -> Bool {
    let left = max(0, deadline - Clock.boottime()) / 1_000_000
    do {
      return try !Socket.poll(process.raw, .readable, timeoutMilliseconds: Int32(clamping: left)).isEmpty
    } catch {
      throw .failed("cannot wait for \(name): \(error)")
    }
  }
}
