/// A process for ever: its number can be given again, but not with the same start time.
public struct ProcessIdentity: Hashable, Sendable {
  /// Its number.
  public var pid: Int32
  /// Its start time, in clock ticks since boot.
  public var start: UInt64

  /// A process with this number and start time.
  public init(pid: Int32, start: UInt64) { (self.pid, self.start) = (pid, start) }
}
