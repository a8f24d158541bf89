import Glibc
import TestSupport
import Testing

@testable import lull_phone

@Suite(.bounded) struct PaceTests {
  fileprivate static let frame = Pace.frame

  @Test func `Frames are due on absolute times, and lateness does not add up`() {
    var pace = Pace(startingAt: 100)
    #expect(pace.next == 100 + Self.frame)
    #expect(pace.due(at: 100) == .init(frames: 0, skipped: 0))
    #expect(pace.due(at: 100 + Self.frame + 7) == .init(frames: 1, skipped: 0))
    #expect(pace.next == 100 + 2 * Self.frame)
    #expect(pace.due(at: 100 + 5 * Self.frame - 1) == .init(frames: 3, skipped: 0))
    #expect(pace.due(at: 100 + 5 * Self.frame) == .init(frames: 1, skipped: 0))
    #expect(pace.next == 100 + 6 * Self.frame)
  }

  @Test func `Who slept does not send in one burst what was due meanwhile`() {
    var pace = Pace(startingAt: 0)
    #expect(pace.due(at: 10 * Self.frame) == .init(frames: 10, skipped: 0))
    #expect(pace.due(at: 21 * Self.frame) == .init(frames: 1, skipped: 10))
    #expect(pace.next == 22 * Self.frame)
  }
}

extension PaceTests {
  @Test func `Steps that are shorter than a frame have the same patience in time`() {
    var pace = Pace(startingAt: 0, step: Self.frame / 4)
    #expect(pace.due(at: Self.frame) == .init(frames: 4, skipped: 0))
    #expect(pace.due(at: 11 * Self.frame) == .init(frames: 40, skipped: 0))
    #expect(pace.due(at: 22 * Self.frame) == .init(frames: 1, skipped: 43))
  }
}

@Suite(.bounded) struct SourceTests {
  private func sound(_ generator: some FrameGenerator, frames: Int, at moment: Int64 = 0) -> [Int16] {
    var generator = generator
    generator.begin(at: moment)
    var sound: [Int16] = []
    for _ in 0..<frames {
      var frame = [Int16](repeating: 0, count: 960)
      generator.next(&frame)
      sound += frame
    }
    return sound
  }

  @Test(arguments: [1.0, 440, 20_000])
  func `A tone is that of the sine, without a seam, for a minute`(_ frequency: Double) {
    let sound = sound(ToneGenerator(frequency: frequency), frames: 3000)
    for index in stride(from: 0, to: sound.count, by: 7) {
      let expected = 8192 * sin(2 * .pi * frequency * Double(index) / 48_000)
      guard abs(Double(sound[index]) - expected) <= 2 else {
        Issue.record("\(sound[index]) instead of \(expected) at \(index)")
        return
      }
    }
  }

  @Test func `A click is at each full second`() {
    let sound = sound(ClickGenerator(), frames: 100, at: 5_250_000_000)
    let starts = sound.indices.filter { sound[$0] != 0 && ($0 == 0 || sound[$0 - 1] == 0) }
    #expect(starts == [36_000, 84_000])
    #expect(sound.filter { $0 != 0 }.count == 480)
  }

  @Test func `Sources and sinks have names`() {
    #expect(SourceName("microphone") == .microphone && SourceName("tone:440") == .tone(440))
    #expect(SourceName("file:a b.wav") == .file("a b.wav") && SourceName("clicks") == .clicks)
    for text in ["", "tone", "tone:", "tone:x", "tone:0", "tone:30000", "tone:nan", "file:", "speaker"] {
      #expect(SourceName(text) == nil, "\(text)")
    }
    #expect(
      SinkName("speaker") == .speaker && SinkName("none") == SinkName.none && SinkName("file:x") == .file("x")
    )
    for text in ["", "file:", "microphone"] { #expect(SinkName(text) == nil, "\(text)") }
  }
}
