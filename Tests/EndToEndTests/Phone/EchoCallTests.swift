import Glibc
import LullSystem
import LullWire
import TestSupport
import Testing

/// A call between a speaker and a microphone that records nothing but the speaker.
@Suite(.bounded) struct EchoCallTests {
  /// The power of mono sound in full seconds of a file that is being written, in decibels below full scale.
  private func levels(_ path: String) throws -> [Double] {
    let bytes = try Files.read(path, limit: 1 << 26)
    let samples = stride(from: 44, to: bytes.count - 1, by: 2).map {
      Double(Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8)) / 32_768
    }
    return stride(from: 0, to: samples.count - 47_999, by: 48_000).map { start in
      10 * log10(samples[start..<start + 48_000].reduce(1e-10) { $0 + $1 * $1 } / 48_000)
    }
  }

  /// The caller's own sound that comes back to him, second for second, until it is as wanted.
  private func echo(_ options: [String], until isDone: ([Double]) -> Bool) throws -> [Double] {
    let (stage, netcat) = (try AudioStage(), try Netcat())
    var wave = Wave()
    wave.addNoise(seconds: 30)
    try wave.write(to: stage.path("noise.wav"))
    let phone = try ConnectedChild(
      [Built.program("lull-phone"), "127.0.0.1:\(netcat.port)", "--name", "phone", "--auto-answer"]
        + options,
      environment: stage.lull.environment)
    #expect(try netcat.line.line() == "ping")
    let heard = stage.path("heard.wav")
    let caller = try ConnectedChild(
      [
        Built.program("lull-phone"), "call", "--embedded", "--source", "file:\(stage.path("noise.wav"))",
        "--sink", "file:\(heard)",
      ])
    let port = try #require(try caller.output.line().split(separator: " ").last)
    try netcat.line.send("notify 127.0.0.1:\(port)\n")
    #expect(try netcat.line.line().hasPrefix("answer 127.0.0.1:"))
    let deadline = Deadline()
    var found: [Double] = []
    while !isDone(found) {
      guard !deadline.isOver else { throw NothingCame(description: "the echo is \(found) dB") }
      _ = try Socket.poll(phone.pidfd, .readable, timeoutMilliseconds: 200)
      found = Files.exists(heard) ? try levels(heard) : []
    }
    try netcat.line.send("bye\n")
    _ = try phone.output.line { $0.hasPrefix("Call ended: ") }
    return found
  }

  @Test func `the caller hears himself without echo cancellation`() throws {
    _ = try echo(["--no-echo-cancellation"]) { $0.contains { $0 > -24 } }
  }

  /// The strength of the cancellation is tested without the devices, whose clocks a busy machine makes jump.
  @Test func `with it he hears less of himself`() throws {
    _ = try echo([]) { levels in levels.contains { $0 > -35 } && (levels.last ?? 0) < -26 }
  }
}
