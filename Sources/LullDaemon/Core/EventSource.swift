import LullChannel
import LullEngine
import LullSystem

/// The object of a registration in the daemon's reactor: its readiness is an event of this object.
enum EventSource {
  case listener, wallClock, signals, guardian, sound, notify
  /// The lull-guard that does not guard, in an upgrade, has said something or is gone.
  case otherGuard
  /// Addresses or routes of a network namespace have changed; 0: of the daemon's own.
  case network(UInt64)
  case alert
  case pressure(Int)
  case sizes
  /// The files of settings and the time zone, and the kernel's messages about devices.
  case settings, devices
  /// The file of an installed program that has an error, or its command, may have changed.
  case misconfigured
  case keeper(Int32)
  case compactor, locks
  /// Somebody has sent a signal to some process.
  case outsideSignal
  case client(Slot)
  /// A line of a program that sleeps.
  case line(Slot)
  /// Looks at the queues of listening sockets are done.
  case queues
  /// A connection that was taken from such a queue.
  case probe(UInt64)
  /// A line whose program has ended.
  case kept(LineID)
  /// A program that is to register again has ended.
  case awaited(ProcessIdentity)
  case process(AppID)
  case cgroup(AppID)
  /// A process of a sleeper, or a child of it, has ended.
  case child(AppID)
  /// A process of a program without a cgroup has ended, after its leader. The pidfd stays open until that is
  /// told, or it would not be told.
  case member(AppID, pidfd: DescriptorBox)
}

typealias DaemonReactor = Reactor<EventSource>
