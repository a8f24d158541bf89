/// The number of bytes that a second of sound takes.
struct ByteRate {
  private var bytes = 0.0
  private var seconds = 0.0

  mutating func noteReceived(_ count: Int) { bytes += Double(count) }
  mutating func noteDecoded(seconds more: Double) { seconds += more }

  /// The rate; 128 kbit/s until it is known.
  var bytesPerSecond: Double { seconds >= 1 ? bytes / seconds : 16_000 }
}
