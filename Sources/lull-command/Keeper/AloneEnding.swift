import LullChannel
import LullSystem
import LullWire

/// The end of a program that runs on without a daemon: its keeper tells which processes are the program's.
struct AloneEnding {
  /// The time that a program is given, and that the kernel may take for what was killed, in nanoseconds.
  private static let patience: Int64 = 5_000_000_000, killing: Int64 = 10_000_000_000
  /// The time that a keeper may take to tell the end of its program, in nanoseconds.
  private static let farewell: Int64 = 1_000_000_000

  private let name: String
  private let keeper: KeeperConnection
  private var processes: [DescriptorBox] = []

  /// The programs among these that run on without a daemon, and that the one that runs does not take either.
  static func names(among candidates: [String]) -> [String] {
    candidates.filter { name in
      do throws(Failure) {
        try FormerKeeper.bringBack(name)
        return false
      } catch {
        let keeper = (try? KeeperConnection(name)) ?? nil
        return keeper.map { (try? $0.processes())?.isEmpty == false } ?? false
      }
    }
  }

  /// Ends a program and prints its end; nothing when it has ended meanwhile.
  static func end(_ name: String, now isAtOnce: Bool) throws(Failure) {
    guard let keeper = try KeeperConnection(name) else { return }
    var ending = AloneEnding(name: name, keeper: keeper)
    keeper.send(.watch)
    guard let end = try ending.end(now: isAtOnce) else { return }
    try Output.say("\(name) \(end)\n")
  }

  private init(name: String, keeper: KeeperConnection) { (self.name, self.keeper) = (name, keeper) }

  private mutating func end(now isAtOnce: Bool) throws(Failure) -> String? {
    send(isAtOnce ? [Signal.kill] : [Signal.terminate, Signal.continue])
    guard !processes.isEmpty else { return nil }
    var isKilled = isAtOnce
    if !isAtOnce, try !haveEnded(within: Self.patience) {
      isKilled = true
      send([Signal.kill])
    }
    guard try haveEnded(within: Self.killing) else {
      throw .failed("\(name) was killed and has not ended; a process hangs")
    }
    let status = try keeper.end(within: Self.farewell)
    guard !isKilled else { return "was killed\(isAtOnce ? "" : " after 5 s")" }
    switch status {
    case .ended(.exited(let code)): return "ended (status \(code))"
    case .ended(.signaled(let signal)): return "ended (\(Signal.name(of: signal)))"
    case .ended(.unknown), .refused, .hungUp, nil: return "ended"
    }
  }

  /// Sends signals to each of the program's processes, and takes note of them.
  private mutating func send(_ signals: [Int32]) {
    var found: [DescriptorBox] = []
    Descendants.each(of: { (try? keeper.processes()) ?? [] }) { pid in
      guard let pidfd = try? Process.pidfdOpen(pid) else { return }
      let process = DescriptorBox(pidfd)
      for signal in signals { try? Process.sendSignal(process.raw, signal) }
      found.append(process)
    }
    processes += found
  }

  /// Waits until all processes have ended; false when one has not within so many nanoseconds.
  private func haveEnded(within bound: Int64) throws(Failure) -> Bool {
    let deadline = Clock.boottime() + bound
    for process in processes {
      let left = max(0, deadline - Clock.boottime()) / 1_000_000
      do {
        let readiness = try Socket.poll(
          process.raw, .readable, timeoutMilliseconds: Int32(clamping: left))
        if readiness.isEmpty { return false }
      } catch {
        throw .failed("cannot wait for \(name): \(error)")
      }
    }
    return true
  }
}
