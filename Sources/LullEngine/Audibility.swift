/// The numbers of the rule by which a program counts as audible (docs/AUDIBILITY.md, "Definition").
public struct AudibilityPolicy: Equatable, Sendable {
  /// LB of the low band from which a tenth is audible after one that was not, in decibels: 10 dB above the
  /// absolute gate of ITU-R BS.1770, and the default of ffmpeg's `silencedetect`.
  public var onLevel = -60.0
  /// LB of the low band from which a tenth stays audible after one that was, in decibels.
  public var offLevel = -64.0
  /// LB of the high band from which a tenth is audible after one that was not, in decibels. In this band the
  /// ear needs 10 to 15 dB more (ISO 226).
  public var highOnLevel = -45.0
  /// LB of the high band from which a tenth stays audible after one that was, in decibels.
  public var highOffLevel = -49.0
  /// The constant of LB, in decibels, which puts 1 kHz on the scale of LKFS (ITU-R BS.1770, annex 1).
  public var levelOffset = -0.691
  /// The tenths on which the rule looks back, at most 127.
  public var windowTenths = 100
  /// The number of audible tenths among them that makes a program audible, and the number of different
  /// seconds in which they must stand.
  public var audibleTenths = 8, audibleSeconds = 2
  /// Fewer audible tenths in more seconds make a program audible as well: the ticks of a metronome.
  public var sparseTenths = 5, sparseSeconds = 4
  /// Seconds from the last tenth with `AudibleWindow.isHeard` to the end of the audible lease.
  public var hangoverSeconds = 10
  /// The least such time for a running session that declares spoken content.
  public var spokenHangoverSeconds = 30
  /// The longest hangover of a running session, in seconds, together with what it has earned.
  public var longestHangoverSeconds = 60
  /// Seconds with `AudibleWindow.isHeard` that earn one second of hangover. A second of silence beyond
  /// `hangoverSeconds` spends one.
  public var earningSeconds = 10
  /// Seconds from the last tenth with `AudibleWindow.isHeard` until the indicator goes out.
  public var indicatorSeconds = 2
  /// The time from activation in which sound need not be audible, for fade-ins and silent intros.
  public var startGrace = Interval.seconds(12)
  /// From the beginning of a start grace without audible sound to the next grace; it doubles each time.
  public var startGracePeriod = Interval.seconds(60)
  /// The longest such period.
  public var startGracePeriodMaximum = Interval.seconds(3600)

  /// The measuring rate that the integer decimation comes nearest to, in frames per second.
  public var measuringRate = 16_000
  /// Corner of the Butterworth high-pass of order 6, in Hz. Sound below it is felt rather than heard, or not
  /// at all.
  public var lowCorner = 120.0
  /// The low band is flat up to here, in Hz.
  public var passEdge = 5000.0
  /// The low band is attenuated by `stopAttenuation` from here, in Hz.
  public var stopEdge = 8600.0
  /// The attenuation of the low band from `stopEdge` on, in decibels.
  public var stopAttenuation = 80.0
  /// The high band is flat from here, in Hz.
  public var highPassEdge = 7000.0
  /// The high band is flat up to here, in Hz.
  public var highEndEdge = 14_000.0
  /// The high band is attenuated by `highStopAttenuation` from here, in Hz.
  public var highStopEdge = 17_000.0
  /// The attenuation of the high band from `highStopEdge` on, in decibels.
  public var highStopAttenuation = 60.0
  /// After 100 ms without a sample above this peak, samples count as zero until one is above it. Two steps of
  /// 16 bits are the peak of dither: at least 16 dB below `offLevel` for two channels, 10 dB for eight.
  public var quietPeak: Float = 2.5 / 32768

  /// The defaults.
  public init() {}
}
