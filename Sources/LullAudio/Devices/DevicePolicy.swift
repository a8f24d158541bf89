/// The times of a device that cannot be opened, in nanoseconds.
struct DevicePolicy {
  /// The wait before the second try; it doubles with each try.
  var shortestRetry: Int64 = 250_000_000
  var longestRetry: Int64 = 5_000_000_000
  /// The time without a device after which its sessions are told.
  var doubt: Int64 = 500_000_000
  /// Where there never was a device, the next try that fails after this time gives a session up: the fourth
  /// try, after 1.75 s.
  var patience: Int64 = 1_500_000_000
  /// The patience with a session that has played under an earlier lull-audio, which may have ended because a
  /// sound server hung: that takes a while to come back.
  var longPatience: Int64 = 10_000_000_000

  /// `hasMoved`: the session has played or captured before.
  func givesUp(after time: Int64, hasMoved: Bool) -> Bool { time >= (hasMoved ? longPatience : patience) }
}
