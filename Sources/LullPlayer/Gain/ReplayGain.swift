internal import LullSystem

/// The loudness of a file by its tags (ReplayGain 2.0; R128 of RFC 7845): the decibels that bring it to the
/// reference.
public struct ReplayGain: Hashable, Sendable {
  /// Decibels for the piece alone; nil when they are not known.
  public var track: Double?
  /// Decibels for the album as a whole.
  public var album: Double?
  /// The largest sample of the piece, full scale at 1.
  public var trackPeak: Double?
  /// The largest sample of the album.
  public var albumPeak: Double?

  /// A loudness, as far as it is known.
  public init(
    track: Double? = nil, album: Double? = nil, trackPeak: Double? = nil, albumPeak: Double? = nil
  ) {
    (self.track, self.album, self.trackPeak, self.albumPeak) = (track, album, trackPeak, albumPeak)
  }

  /// Reads tags by their names in capitals. R128's reference is -23 LUFS, ReplayGain's -18 LUFS.
  init(tag: (String) -> String?) {
    func r128(_ name: String) -> Double? {
      tag(name).flatMap { Int16($0) }.map { Double($0) / 256 + 5 }
    }
    track = tag("REPLAYGAIN_TRACK_GAIN").flatMap(Self.decibels) ?? r128("R128_TRACK_GAIN")
    album = tag("REPLAYGAIN_ALBUM_GAIN").flatMap(Self.decibels) ?? r128("R128_ALBUM_GAIN")
    trackPeak = tag("REPLAYGAIN_TRACK_PEAK").flatMap(Self.peak)
    albumPeak = tag("REPLAYGAIN_ALBUM_PEAK").flatMap(Self.peak)
  }

  /// "-7.03 dB": anything beyond 60 dB is no loudness of music.
  private static func decibels(_ text: String) -> Double? {
    number(text).flatMap { abs($0) <= 60 ? $0 : nil }
  }

  private static func peak(_ text: String) -> Double? {
    number(text).flatMap { $0 > 0 && $0 <= 64 ? $0 : nil }
  }

  /// The number that a text begins with. Some programs write a comma.
  private static func number(_ text: String) -> Double? {
    let digits = text.drop { $0 == " " }.prefix { "+-.,0123456789".contains($0) }
    return Double(String(digits.map { $0 == "," ? "." : $0 }))
  }
}

/// The loudness that is brought to the reference. Raw values are the command line's words.
public enum ReplayGainMode: String, CaseIterable, Sendable {
  /// None: every sample stays as it is.
  case off
  /// The loudness of each piece.
  case track
  /// The loudness of the album, so that its quiet pieces stay quiet.
  case album
  /// The loudness of the album while its pieces follow one another, else that of each piece.
  case auto
}

/// The settings by which the loudness of files is evened out.
public struct ReplayGainSettings: Hashable, Sendable {
  /// The possible decibels of the preamplifier.
  public static let preamps = -15.0...15.0
  /// The loudness that counts.
  public var mode: ReplayGainMode
  /// Decibels that are added to every file with a known loudness.
  public var preamp: Double {
    didSet { preamp = Self.possible(preamp) }
  }

  /// Settings; an impossible preamplification becomes the nearest possible one.
  public init(mode: ReplayGainMode = .off, preamp: Double = 0) {
    (self.mode, self.preamp) = (mode, Self.possible(preamp))
  }

  private static func possible(_ preamp: Double) -> Double {
    preamp.isNaN ? 0 : min(preamps.upperBound, max(preamps.lowerBound, preamp))
  }

  /// The factor of a file's samples. Where the tags tell the largest sample, no sample goes beyond full
  /// scale.
  ///
  /// - Parameters:
  ///   - gain: the loudness in the file's tags.
  ///   - inAlbum: true when the file before or after it in the queue is of the same album.
  /// - Returns: the factor; nil when the samples stay as they are.
  public func factor(for gain: ReplayGain, inAlbum: Bool) -> Float? {
    let wantsAlbum: Bool
    switch mode {
    case .off: return nil
    case .track: wantsAlbum = false
    case .album: wantsAlbum = true
    case .auto: wantsAlbum = inAlbum
    }
    let byAlbum = wantsAlbum ? gain.album != nil : gain.track == nil
    guard let decibels = byAlbum ? gain.album : gain.track else { return nil }
    let factor = Mathematics.power(decibels: (decibels + preamp) / 2)
    guard let peak = byAlbum ? gain.albumPeak : gain.trackPeak else { return Float(factor) }
    return Float(min(factor, 1 / peak))
  }
}
