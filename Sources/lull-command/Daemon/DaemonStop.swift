import LullSystem
import LullWire

enum DaemonStop {
  /// The time that both processes may take, beyond that of the programs, in nanoseconds.
  private static let patience: Int64 = 10_000_000_000
  /// The time that lull-guard may take after lulld has ended, in nanoseconds. One that lives then may have
  /// started another lulld, because that one was killed.
  private static let settling: Int64 = 1_000_000_000
  /// The daemons that are asked, one after the other.
  private static let most = 4

  /// Returns the number of the programs that go on; nil where no daemon runs. Whatever becomes of a daemon
  /// that has been asked, it is done when none runs and, where these are to end, no program is left.
  static func stop(withPrograms endsPrograms: Bool) throws(Failure) -> Int? {
    var count: Int?
    for _ in 0..<most {
      do throws(Failure) {
        let isNeeded = endsPrograms && RuntimeLedger.namesPrograms
        var connection = try Daemon.connect(starting: isNeeded ? .withoutBoot : nil)
        let items = try connection.ask(.status(name: nil)).items
        count = endsPrograms ? 0 : items.count { $0.itemKind == .program }
        let ok = try connection.ask(.stopDaemon(programs: endsPrograms)).ok
        if try bothHaveEnded(ok), !endsPrograms || !RuntimeLedger.namesPrograms { return count }
      } catch .noDaemon {
        return count
      } catch .connectionLost {
        // It has died, or somebody else has ended it.
      }
      Daemon.pause()
    }
    throw .failed("the daemon or a program was asked to end and has not; see \"lull doctor\"")
  }

  /// False when lull-guard lives on.
  private static func bothHaveEnded(_ ok: Message) throws(Failure) -> Bool {
    let (daemon, guardian): (WatchedProcess, WatchedProcess?)
    let time: Double
    do throws(WireError) {
      daemon = WatchedProcess("lulld", try ok.integer(.pid))
      guardian = try ok.integer(ifPresent: .guardPid).map { WatchedProcess("lull-guard", $0) }
      time = try ok.number(ifPresent: .remainingSeconds) ?? 0
    } catch {
      throw .unreadable(error)
    }
    guard try daemon.hasEnded(by: Clock.boottime() + Int64(time * 1e9) + patience) else {
      throw .failed("lulld (process \(daemon.pid)) was asked to end and has not; see \"lull doctor\"")
    }
    return try guardian?.hasEnded(by: Clock.boottime() + settling) ?? true
  }
}
