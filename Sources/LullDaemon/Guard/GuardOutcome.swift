import LullEngine
import LullSystem
import LullWire

/// An outcome of lull-guard for the rest of the daemon.
enum GuardOutcome {
  /// A program is to be taken back.
  case restore(RestoredProgram)
  /// A notification of the daemon before is to be taken back.
  case keep(KeptNotification)
  /// A line of the daemon before is to be taken back.
  case keepLine(KeptLine, DescriptorBox)
  /// What the daemon before knew of an installed program.
  case remember(KeptInstalled)
  /// The guard has no room for a program.
  case full(name: String)
  /// The guard is to be told of a program again: there may be room for it now.
  case store(name: String)
  /// Programs that sleep are to be woken: the guard has thawed every program, or no guard would thaw them if
  /// this process died.
  case wakeSleepers
  /// The guard is to be told of every program anew.
  case storeAll
  /// Another guard is to be started now.
  case launch
  /// The guard has become the one of the upgrade, and watches.
  case replaced
  /// The guard has not become another one, and goes on; the reason.
  case unchanged(String)
  /// The guard has ended while it became another one.
  case endedAsReplacement
  /// The way to the lull-audio of the daemon before, which plays on.
  case sound(DescriptorBox)
  /// The lulld before this one has told everything, and waits for leave to end.
  case release(DescriptorBox)
  /// Another guard was started, as the process `pid`.
  case launched(pid: Int32)
}
