internal import LullSystem

/// The loudness of a file by its tags (ReplayGain 2.0; R128 of RFC 7845): the decibels that bring it to the
/// reference.
public struct ReplayGain: Hashable, Sendable {
  /// Decibels for the piece alone, and for the album as a whole; nil when they are not known.
  public var track, album: Double?
  /// The largest sample of the piece and of the album, full scale at 1.
  public var trackPeak, albumPeak: Double?

  /// A loudness, as far as it is known.
  public init(
    track: Double? = nil, album: Double? = nil, trackPeak: Double? = nil, albumPeak: Double? = nil
  ) {
    (self.track, self.album, self.trackPeak, self.albumPeak) = (track, album, trackPeak, albumPeak)
  }

  /// Reads tags by their names in capitals. R128's reference is -23 LUFS, ReplayGain's -18 LUFS. Anything
  /// beyond 60 dB is no loudness of music.
  init(tag: (String) -> String?) {
    func gain(_ kind: String) -> Double? {
      tag("REPLAYGAIN_\(kind)_GAIN").flatMap(Self.number).flatMap { abs($0) <= 60 ? $0 : nil }
        ?? tag("R128_\(kind)_GAIN").flatMap { Int16($0) }.map { Double($0) / 256 + 5 }
    }
    func peak(_ kind: String) -> Double? {
      tag("REPLAYGAIN_\(kind)_PEAK").flatMap(Self.number).flatMap { $0 > 0 && $0 <= 64 ? $0 : nil }
    }
    (track, album) = (gain("TRACK"), gain("ALBUM"))
    (trackPeak, albumPeak) = (peak("TRACK"), peak("ALBUM"))
  }

  /// The number that a text begins with, such as "-7.03 dB". Some programs write a comma.
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
  public let mode: ReplayGainMode
  /// Decibels that are added to every file with a known loudness.
  public let preamp: Double

  /// Settings; an impossible preamplification becomes the nearest possible one.
  public init(mode: ReplayGainMode = .off, preamp: Double = 0) {
    self.mode = mode
    self.preamp = preamp.isNaN ? 0 : min(Self.preamps.upperBound, max(Self.preamps.lowerBound, preamp))
  }

  /// The factor of a file's samples, by which none of a known largest sample goes beyond full scale; nil when
  /// the samples stay as they are. `inAlbum`: the file before or after it is of the same album.
  func factor(for gain: ReplayGain, inAlbum: Bool) -> Float? {
    guard mode != .off else { return nil }
    let wantsAlbum = mode == .album || mode == .auto && inAlbum
    let byAlbum = wantsAlbum ? gain.album != nil : gain.track == nil
    guard let decibels = byAlbum ? gain.album : gain.track else { return nil }
    let factor = Mathematics.power(decibels: (decibels + preamp) / 2)
    guard let peak = byAlbum ? gain.albumPeak : gain.trackPeak else { return Float(factor) }
    return Float(min(factor, 1 / peak))
  }
}
