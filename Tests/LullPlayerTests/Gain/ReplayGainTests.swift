import TestSupport
import Testing

@testable import LullPlayer

@Suite(.bounded) struct ReplayGainTests {
  private let gain = ReplayGain(track: -6, album: -12, trackPeak: 1, albumPeak: 1)

  private func decibels(_ factor: Float?) -> Float? {
    guard let factor else { return nil }
    let near: [(Float, Float)] = [(1, 0), (0.501187, -6), (0.251189, -12), (1.99526, 6)]
    return near.first { abs($0.0 - factor) < 1e-5 }?.1
  }

  @Test func `each mode takes its own loudness`() {
    func factor(_ mode: ReplayGainMode, inAlbum: Bool = false) -> Float? {
      decibels(ReplayGainSettings(mode: mode).factor(for: gain, inAlbum: inAlbum))
    }
    #expect(factor(.off) == nil)
    #expect(factor(.track) == -6)
    #expect(factor(.track, inAlbum: true) == -6)
    #expect(factor(.album) == -12)
    #expect(factor(.auto) == -6)
    #expect(factor(.auto, inAlbum: true) == -12)
  }

  @Test func `where one loudness is missing the other is taken`() {
    let album = ReplayGainSettings(mode: .album).factor(for: ReplayGain(track: -6), inAlbum: true)
    #expect(decibels(album) == -6)
    let track = ReplayGainSettings(mode: .track).factor(for: ReplayGain(album: -12), inAlbum: false)
    #expect(decibels(track) == -12)
    #expect(ReplayGainSettings(mode: .track).factor(for: ReplayGain(), inAlbum: false) == nil)
  }

  @Test func `no sample is brought beyond full scale`() {
    let settings = ReplayGainSettings(mode: .track, preamp: 12)
    #expect(decibels(settings.factor(for: gain, inAlbum: false)) == 0)
    #expect(decibels(settings.factor(for: ReplayGain(track: -6), inAlbum: false)) == 6)
    let quiet = ReplayGain(track: -6, trackPeak: 0.25)
    #expect(decibels(settings.factor(for: quiet, inAlbum: false)) == 6)
  }

  @Test func `impossible numbers are no loudness`() {
    func gain(_ text: String) -> Double? { ReplayGain { $0 == "REPLAYGAIN_TRACK_GAIN" ? text : nil }.track }
    #expect(gain("-7.03 dB") == -7.03)
    #expect(gain("+2") == 2)
    for text in ["", "nan", "inf", "1e300", "-100 dB", "dB", "--3"] { #expect(gain(text) ?? 1 == 1) }
    #expect(ReplayGainSettings(mode: .track, preamp: .nan).preamp == 0)
    #expect(ReplayGainSettings(mode: .track, preamp: 99).preamp == 15)
  }
}
