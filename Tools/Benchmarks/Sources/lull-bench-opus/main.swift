// `Tools/bench opus`: a frame of 20 ms through the encoder and the decoder of a call, beside libopus called
// from C.

import LullMedia

func hundredths(_ number: Double) -> String {
  let rounded = Int((number.magnitude * 100).rounded())
  let rest = rounded % 100
  return "\(number < 0 ? "-" : "")\(rounded / 100).\(rest < 10 ? "0" : "")\(rest)"
}

// One argument: how many blocks are measured.
let results = try Results.measure(blocks: CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 40)
let (floor, swift) = (results.floor.median, results.swift.median)
let more = (zip(results.swift, results.floor).map { $0 / $1 }.median - 1) * 100
print(
  "opus: encode and decode 20 ms   libopus from C (floor) \(hundredths(floor)) us   "
    + "Lull \(hundredths(swift)) us   \(hundredths(more)) % more (median of \(results.swift.count) blocks)   "
    + "target 5 %: \(more <= 5 ? "reached" : "not reached")")
print(
  "opus: the same through two sessions, with RTP and the jitter buffer: "
    + "\(hundredths(results.session.median)) us"
)
