import LullChannel
import LullEngine
import LullGuard
import LullSystem

/// The services that the owners share.
struct SharedServices {
  let options: DaemonOptions
  /// The numbers by which the engine and its shell decide.
  var policy = Policy()
  /// Everything for which the daemon waits.
  let reactor: DaemonReactor
  let journal = Journal()
  /// The journal's file; nothing is read or written before the daemon runs.
  let journalFile = JournalFile(directory: StateDirectory.path())
  let systemdJournal = SystemdJournal()
  /// Closes every descriptor that came from a program.
  let closer = Closer()

  init(_ options: DaemonOptions) throws(SystemError) {
    self.options = options
    reactor = try DaemonReactor(capacity: 256, wakesMachine: true)
  }
}
