import TestSupport
import Testing

@testable import Lull

/// Audio sessions that are refused.
@Suite(.bounded) struct AudioRefusalTests {
  private static let format = AudioFormat(rate: 8000, channels: 1, sample: .u8)

  @Test func `What is impossible is refused with what is possible`() throws {
    let it = try Managed { $0.hasPrefix("session") ? "error code=wrong-mode message=\"no audio\"" : nil }
    #expect(AudioFormat(rate: 7999, channels: 2, sample: .s16) == nil)
    #expect(AudioFormat(rate: 48_000, channels: 9, sample: .s16) == nil)
    let format = try #require(Self.format)
    func open(_ buffer: AudioSession.Buffer, latency: Double? = nil) throws {
      _ = try AudioSession(
        it.application, category: .playback, format: format, buffer: buffer, latency: latency
      ) { _, _ in }
    }
    #expect(throws: LullError.refused("a buffer of 31.0 s: more than 0 and at most 30 are possible")) {
      try open(.shallow(seconds: 31))
    }
    #expect(throws: LullError.refused("a buffer of nan s: more than 0 and at most 30 are possible")) {
      try open(.shallow(seconds: .nan))
    }
    #expect(
      throws: LullError.refused("a low-water mark of 2.0 s: more than 0 and less than 2.0 are possible")
    ) {
      try open(.deep(seconds: 2, lowWater: 2))
    }
    #expect(throws: LullError.refused("a latency of 0.0 s: more than 0 and at most 30 are possible")) {
      try open(.shallow(seconds: 1), latency: 0)
    }
    #expect(throws: LullError.wrongMode("no audio")) { try open(.shallow(seconds: 1)) }
    #expect(it.application.sessions.isEmpty)
  }

  @Test func `A program that supervises itself has no sound, and is told why`() throws {
    let it = try Embedded()
    let format = try #require(Self.format)
    #expect(
      throws: LullError.daemonUnavailable(
        "sound needs the daemon, and this program supervises itself: start lulld")
    ) {
      _ = try AudioSession(it.application, category: .playback, format: format) { _, _ in }
    }
  }
}
