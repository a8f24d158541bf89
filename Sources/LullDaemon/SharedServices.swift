import LullChannel
import LullEngine
import LullGuard
import LullSystem

struct SharedServices {
  let options: DaemonOptions
  var policy = Policy()
  let reactor: DaemonReactor
  let journal = Journal()
  /// Nothing is read or written before the daemon runs.
  let journalFile = JournalFile(directory: StateDirectory.path())
  let systemdJournal = SystemdJournal()
  /// Closes every descriptor that came from a program.
  let closer = Closer()

  init(_ options: DaemonOptions) throws(SystemError) {
    self.options = options
    reactor = try DaemonReactor(capacity: 256, wakesMachine: true)
  }
}
