internal import LullSystem

extension ThreadCall {
  private static let getEvents: Int32 = 1
  private static let extendedArgument: Int32 = 8
  private static let ring: Int32 = 16
  private static let untilMoment: Int32 = 32
  private static let registeredArgument: Int32 = 64

  var waitsForCompletions: Bool { integer(3) & Self.getEvents != 0 && integer(2) > 0 }

  /// The first argument is no descriptor but the place of a ring that the thread has registered.
  var isRegisteredRing: Bool { integer(3) & Self.ring != 0 }

  /// In nanoseconds; nil unless the time counts from the beginning of the call and stands in the thread's
  /// memory.
  func ringTimeOut(of thread: Int32) throws(SystemError) -> Int64? {
    let flags = integer(3)
    guard flags & Self.extendedArgument != 0, flags & (Self.untilMoment | Self.registeredArgument) == 0 else {
      return nil
    }
    // A signal set, its size and a least time to wait, then the address of the time-out.
    var words = InlineArray<3, UInt64>(repeating: 0)
    guard try read(argument(4), of: thread, into: &words) else { return nil }
    return try interval(of: thread, at: words[2])
  }
}
