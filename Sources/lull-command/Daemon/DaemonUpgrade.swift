import LullChannel
import LullSystem
import LullWire

/// Has the daemon give way to the programs beside this one, and waits until every program is back.
enum DaemonUpgrade {
  /// The time that the new processes may take to answer, in nanoseconds.
  private static let patience: Int64 = 15_000_000_000
  /// The time that programs may take to come back after that, in nanoseconds.
  private static let returning: Int64 = 10_000_000_000

  static func text(_ old: DaemonItem, _ new: DaemonItem, count: Int, lost: [String]) -> String {
    let programs = count == 1 ? "1 program" : "\(count) programs"
    let names = lost.isEmpty ? "" : ": \(lost.joined(separator: " "))"
    return "lulld \(old.version) (pid \(old.pid)) → \(new.version) (pid \(new.pid)); "
      + "\(programs), \(lost.count) lost\(names)\n"
  }

  /// Returns what is to be told, and the programs that have not come back.
  static func upgrade() throws(Failure) -> (text: String, lost: [String]) {
    var connection = try Daemon.connect()
    connection.acceptAnyVersion()
    let before = try StatusQuestion().ask(&connection)
    let known = before.programs.filter { $0.managed != nil && !$0.isDryRun }.map {
      WatchedProcess($0.name, $0.pids.first ?? 0)
    }
    let folder = folder
    if let folder { try check(folder) }
    let old = before.daemon
    let isService = old.startedBy?.known == .service
    let new = try successor(of: old, &connection, folder: folder, isService)
    let lost = try missing(known, isService)
    return (text(old, new, count: known.count, lost: lost), lost)
  }

  private static var folder: String? {
    guard let folder = try? Process.folder(), Files.exists("\(folder)/\(DaemonLauncher.guardName)") else {
      return nil
    }
    return folder
  }

  private static func check(_ folder: String) throws(Failure) {
    for name in ["lulld", DaemonLauncher.guardName] {
      do throws(Failure) { _ = try OtherProgram.version(of: "\(folder)/\(name)") } catch {
        throw .failed("\(error.message ?? name); nothing was changed")
      }
    }
  }

  /// The new daemon, as soon as it answers and has a new guard. One that dies before it has given way is
  /// asked again under its guard, which has started it anew. Where both processes have died, another pair is
  /// started, except that a service manager does that for its service.
  private static func successor(
    of old: DaemonItem, _ connection: inout Connection, folder: String?, _ isService: Bool
  ) throws(Failure) -> DaemonItem {
    let deadline = Clock.boottime() + patience
    var asked: Int64?
    var now = old
    while true {
      do throws(Failure) {
        if now.pid != old.pid, now.guardPid != nil, now.guardPid != old.guardPid { return now }
        if asked == nil || old.guardPid != nil && now.guardPid == old.guardPid && now.pid != asked {
          asked = now.pid
          _ = try connection.ask(.upgrade(folder: folder))
        }
        connection = try connect(isService)
        now = try StatusQuestion().ask(&connection).daemon
      } catch .refused(let code, let text) {
        throw .refused(code, text)
      } catch {
        // The old one ends, or the new one begins.
        guard Clock.boottime() < deadline else { throw error }
      }
      guard Clock.boottime() < deadline else {
        throw .failed("lulld (pid \(old.pid)) was asked to give way and has not; see \"lull doctor\"")
      }
      Daemon.pause()
    }
  }

  private static func connect(_ isService: Bool) throws(Failure) -> Connection {
    var connection = try isService ? Daemon.connect() : Daemon.connectStarting()
    connection.acceptAnyVersion()
    return connection
  }

  /// The programs that have not come back although they run: those on the library register again by
  /// themselves.
  private static func missing(_ known: [WatchedProcess], _ isService: Bool) throws(Failure) -> [String] {
    let deadline = Clock.boottime() + returning
    while true {
      do throws(Failure) {
        var connection = try connect(isService)
        let names = try StatusQuestion().ask(&connection).programs.map(\.name)
        let missing = known.filter { !names.contains($0.name) && $0.runsOn }.map(\.name)
        if missing.isEmpty || Clock.boottime() >= deadline { return missing }
      } catch {
        // The new daemon has died.
        guard Clock.boottime() < deadline else { throw error }
      }
      Daemon.pause()
    }
  }
}

enum DaemonStop {
  /// The time that both processes may take, beyond that of the programs, in nanoseconds.
  private static let patience: Int64 = 10_000_000_000
  /// The time that lull-guard may take after lulld has ended, in nanoseconds. One that lives then may have
  /// started another lulld, because that one was killed.
  private static let settling: Int64 = 1_000_000_000
  private static let most = 4

  /// Returns the number of the programs that go on; nil where no daemon runs. Whatever becomes of a daemon
  /// that has been asked, it is done when none runs and, where these are to end, no program is left.
  static func stop(withPrograms endsPrograms: Bool) throws(Failure) -> Int? {
    var count: Int?
    for _ in 0..<most {
      do throws(Failure) {
        let isNeeded = endsPrograms && RuntimeLedger.namesPrograms
        var connection = try Daemon.connect(starting: isNeeded ? .withoutBoot : nil)
        let names = try connection.ask(.status(name: nil)).programNames
        count = endsPrograms ? 0 : names.count
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

  private static func bothHaveEnded(_ ok: Message) throws(Failure) -> Bool {
    let daemon = WatchedProcess("lulld", try readable(ok.integer(.pid)))
    let guardian = try readable(ok.integer(ifPresent: .guardPid)).map { WatchedProcess("lull-guard", $0) }
    let time = try readable(ok.number(ifPresent: .remainingSeconds)) ?? 0
    guard try daemon.hasEnded(by: Clock.boottime() + Int64(time * 1e9) + patience) else {
      throw .failed("lulld (process \(daemon.pid)) was asked to end and has not; see \"lull doctor\"")
    }
    return try guardian?.hasEnded(by: Clock.boottime() + settling) ?? true
  }
}

struct WatchedProcess {
  let name: String
  let pid: Int64
  /// Readable when the process has ended; nil when it has ended already.
  let pidfd: DescriptorBox?

  init(_ name: String, _ pid: Int64) {
    (self.name, self.pid) = (name, pid)
    if let number = Int32(exactly: pid), let opened = try? Process.pidfdOpen(number) {
      pidfd = DescriptorBox(opened)
    } else {
      pidfd = nil
    }
  }

  var runsOn: Bool { (try? hasEnded(by: 0)) == false }

  /// `deadline` is in nanoseconds of CLOCK_BOOTTIME.
  func hasEnded(by deadline: Int64) throws(Failure) -> Bool {
    guard let pidfd else { return true }
    for step in DaemonWait.Steps(until: deadline) {
      let milliseconds = Int32(clamping: (max(0, step - Clock.boottime()) + 999_999) / 1_000_000)
      let readiness = try explained(
        "cannot wait for \(name) (process \(pid))",
        Socket.poll(pidfd.raw, .readable, timeoutMilliseconds: milliseconds))
      if !readiness.isEmpty { return true }
    }
    return false
  }
}
