/// "What must hold" of docs/AUDIBILITY.md, as far as signals can tell it.
extension Row {
  static var all: [Row] { never + sparse + steady + rhythms }

  private static var never: [Row] {
    [
      Row(.constant(0), .never), Row(.constant(Sound.amplitude(-6)), .never), Row(.dither, .never),
      Row(.noise(-60), .never), Row(.sine(440, -70), .never),
      Row(.sine(440, -20).antiphase, .never, channels: 1),
      Row(.modulated(20_000, by: 400), .never, highest: 20_400),
    ] + [(5.0, 0.0), (20, 0), (30, 0), (30, -67), (40, -30)].map { Row(.sine($0, $1), .never) }
      + [(17_000.0, 0.0), (21_000, 0), (19_500, -40)].map { Row(.sine($0, $1), .never, highest: $0) }
  }

  /// Short sounds with long pauses, which are never audible, wherever they lie in the tenths.
  private static var sparse: [Row] {
    [0, 0.025, 0.05, 0.06, 0.0999].flatMap { start in
      [
        Row("each 3 s", sound: .click, expected: .never, rhythm: [0.01, 2.99], start: start),
        Row("30 ms each 3 s", sound: .sine(1000, 0), expected: .never, rhythm: [0.03, 2.97], start: start),
        Row("200 ms each 10 s", sound: .sine(1000, 0), expected: .never, rhythm: [0.2, 9.8], start: start),
      ]
    }
  }

  private static var steady: [Row] {
    [(440.0, -20.0), (440, -50), (7500, -20), (8000, -20), (10_000, -20), (12_000, -30)].map {
      Row(.sine($0, $1), .from(2), highest: $0)
    } + [
      Row(Music.sound(loudness: -23), .from(2)), Row(Music.sound(loudness: -45), .from(2)),
      Row(.sine(440, -20).antiphase, .from(2)),
    ]
  }

  private static var rhythms: [Row] {
    [-10, -30].flatMap { level in
      let ring = Sound.sine(440, level)
      return [
        Row("a ring, 2 s on and 4 off", sound: ring, expected: .from(2), rhythm: [2, 4]),
        Row("a ring, 1 s on and 4 off", sound: ring, expected: .from(6), rhythm: [1, 4]),
        Row(
          "a ring, 0.4 s on, 0.2 off, 0.4 on and 2 off", sound: ring, expected: .from(4),
          rhythm: [0.4, 0.2, 0.4, 2]),
      ]
    }
      + [0, 0.03, 0.07].flatMap { start in
        [
          Row(
            "250 ms each 3 s", sound: .sine(1000, -10), expected: .from(7), rhythm: [0.25, 2.75], start: start
          ),
          Row(
            "a metronome at 30", sound: .sine(1000, -10), expected: .from(9), rhythm: [0.03, 1.97],
            start: start),
          Row(
            "a metronome at 40", sound: .sine(1000, -10), expected: .from(7), rhythm: [0.03, 1.47],
            start: start),
          Row(
            "a metronome at 60", sound: .sine(1000, -10), expected: .from(5), rhythm: [0.03, 0.97],
            start: start),
          Row(
            "a metronome at 100", sound: .sine(1000, -10), expected: .from(6), rhythm: [0.03, 0.57],
            start: start),
        ]
      }
      + [-20, -45].map {
        Row("0.7 s of each 2.2 s", sound: .noise($0), expected: .from(3), rhythm: [0.7, 1.5])
      }
      + [
        Row(
          "8 s of silence between two tracks", sound: Music.sound(loudness: -23), expected: .from(2),
          rhythm: [6, 8])
      ]
  }
}
