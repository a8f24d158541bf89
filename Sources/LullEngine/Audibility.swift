/// Every number of the rule by which a program counts as audible (docs/AUDIBILITY.md, "Definition").
public struct AudibilityPolicy: Equatable, Sendable {
  /// LB from which a sub-block is audible after one that was not, in decibels: 10 dB above the absolute
  /// gate of ITU-R BS.1770, and the default of ffmpeg's `silencedetect`.
  public var onLevel = -60.0
  /// LB from which a sub-block stays audible after one that was, in decibels.
  public var offLevel = -64.0
  /// The constant of LB, in decibels, which puts 1 kHz on the scale of LKFS (ITU-R BS.1770, annex 1).
  public var levelOffset = -0.691
  /// Sub-blocks in a second: one lasts 100 ms.
  public var subBlocks = 10
  /// So many audible sub-blocks make a second audible; a click or a tick of 30 ms fills one.
  public var audibleSubBlocks = 2
  /// The seconds that are looked back on.
  public var windowSeconds = 10
  /// So many audible seconds among them make a session audible.
  public var audibleSeconds = 3
  /// The audible lease ends so many seconds after the last audible second.
  public var hangoverSeconds = 10
  /// The same for a session that declares spoken content.
  public var spokenHangoverSeconds = 30
  /// An audible second during the hangover extends it to at least so many seconds: a pause between two tracks
  /// does not end it, and a beep now and then does not hold it.
  public var bridgeSeconds = 3
  /// The indicator goes out so many seconds after the last audible second.
  public var indicatorSeconds = 2
  /// From activation, for what is faded in.
  public var startGrace = Interval.seconds(5)
  /// The start grace is given to a program at most once in this time.
  public var startGracePeriod = Interval.seconds(60)

  /// The measuring rate that the integer decimation comes nearest to, in frames per second.
  public var measuringRate = 16_000
  /// Corner of the Butterworth high-pass of order 6, in Hz: what lies below is felt rather than heard, or
  /// not at all.
  public var lowCorner = 120.0
  /// The low-pass is flat up to here, in Hz.
  public var passEdge = 5000.0
  /// The low-pass attenuates by `stopAttenuation` from here, in Hz.
  public var stopEdge = 8600.0
  /// In decibels.
  public var stopAttenuation = 80.0
  /// After 100 ms in which no sample was above this, samples count as zero until one is: two steps of 16
  /// bits, the peak of dither. That is at least 16 dB below `offLevel` for two channels, 10 dB for eight.
  public var quietPeak: Float = 2.5 / 32768

  /// The defaults.
  public init() {}

  /// The hangover of a session.
  public func hangover(spoken: Bool) -> Int { spoken ? spokenHangoverSeconds : hangoverSeconds }
}
