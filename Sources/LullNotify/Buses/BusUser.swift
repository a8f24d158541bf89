import LullBus

/// Somebody in this process who speaks on a bus. Each connection is new to it: calls and matches of the one
/// before are gone.
protocol BusUser: AnyObject {
  /// A connection was begun. Calls and matches may be made at once; they are sent when the bus lets this
  /// process in.
  func connected(_ bus: Bus) throws(BusError)
  func disconnected(_ why: BusError)
}
