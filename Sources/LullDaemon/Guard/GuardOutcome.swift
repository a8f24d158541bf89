import LullSystem
import LullWire

enum GuardOutcome {
  /// A line of the daemon before is to be taken back.
  case keepLine(KeptLine, DescriptorBox)
  /// The way to the lull-audio of the daemon before, which plays on, and its number.
  case sound(DescriptorBox, pid: Int32?)
  /// Programs that sleep are to be woken: the guard has thawed every program, or no guard would thaw them if
  /// this process died.
  case wakeSleepers
  /// The guard is to be told of every line anew.
  case storeAll
  case launch
  case launched(pid: Int32)
  /// The guard of the upgrade watches, and the one before has left.
  case replaced
  /// The guard of the upgrade does not serve, for this reason; the one before goes on.
  case unchanged(String)
}
