import LullChannel
import LullEngine
import LullGuard
import LullSystem

struct SharedServices {
  let options: DaemonOptions
  var policy = Policy()
  let reactor: DaemonReactor
  let journal = Journal()
  /// Writes the files of the state directory, one after the other: they are small, and on one disk.
  let fileWorker = Worker()
  /// Nothing is read or written before the daemon runs.
  let journalFile: JournalFile
  let systemdJournal = SystemdJournal()
  /// Closes every descriptor that came from a program.
  let closer = Closer()

  init(_ options: DaemonOptions) throws(SystemError) {
    self.options = options
    policy.processes = ProcessPolicy()
    // A process takes its time however fast the engine's clock runs.
    policy.launchTime = policy.launchTime.scaled(by: options.clockRate)
    policy.keptRestartTime = policy.keptRestartTime.scaled(by: options.clockRate)
    // lull-guard has the same limit.
    let files = journal.ignoring([], try ResourceLimits.openFiles()) ?? 1024
    policy.maximumKeptLines = Guard.roomForLines(openFiles: files)
    journalFile = JournalFile(directory: StateDirectory.path(), by: fileWorker)
    reactor = try DaemonReactor(capacity: 256, wakesMachine: true)
  }
}
