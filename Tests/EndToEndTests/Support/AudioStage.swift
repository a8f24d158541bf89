import LullSystem
import LullWire
import TestSupport
import Testing

/// A daemon whose sound goes to a sink in real time, and the programs that play.
final class AudioStage {
  let network: Network
  let sink: Sink
  let lull: Lull
  let journal: Journal
  private var runs: [ConnectedChild] = []

  /// `binaries` is another directory of lulld, lull-guard and lull-audio.
  init(
    clockRate: Int = 1, environment: [String] = [], sandbox given: Sandbox? = nil, binaries: String? = nil
  ) throws {
    let sandbox = try given ?? Sandbox()
    network = try Network()
    sink = try Sink(sandbox, in: network)
    lull = try Lull(
      clockRate: clockRate, sandbox: sandbox, prefix: network.prefix, binaries: binaries,
      environment: sink.environment + environment)
    journal = try lull.journal()
  }

  func path(_ name: String) -> String { "\(lull.sandbox.directory)/\(name)" }

  func write(_ name: String, _ make: (inout Wave) -> Void) throws {
    var wave = Wave()
    make(&wave)
    try wave.write(to: path(name))
  }

  /// `lull run` of a command; without modes it is in the foreground.
  @discardableResult
  func run(_ name: String, _ command: [String], modes: String?, options: [String] = []) throws
    -> ConnectedChild
  {
    let mode = modes.map { ["--mode", $0] } ?? []
    let nothing = try Files.openNull()
    let words = ["run", "--name", name] + mode + options + ["--"] + command
    let run = try lull.start(words, input: nothing.raw, prefix: network.prefix)
    runs.append(run)
    return run
  }

  /// `lull run -- aplay -D DEVICE FILE`.
  @discardableResult
  func play(
    _ file: String, name: String = "aplay", device: String = "lull", modes: String? = "audio",
    options: [String] = []
  ) throws -> ConnectedChild {
    try run(name, ["aplay", "-q", "-D", device, path(file)], modes: modes, options: options)
  }

  /// aplay outside every program.
  func aplay(_ file: String) throws -> ConnectedChild {
    try ConnectedChild(["aplay", "-q", "-D", "lull", path(file)], environment: lull.environment)
  }

  /// The program's session as soon as it is as wanted.
  func session(of program: String, _ isWanted: (Message) -> Bool) throws -> Message {
    let deadline = Deadline()
    var last: [Message] = []
    repeat {
      // The program may not be registered yet.
      last = try lull.connect().ask("status name=\(program)").all(.session)
      if let session = last.first(where: isWanted) { return session }
      _ = try Socket.poll(lull.guardian.pidfd, .readable, timeoutMilliseconds: 20)
    } while !deadline.isOver
    throw NothingCame(description: "no such session of \(program): \(last)\n\(state)")
  }

  /// Everything that tells why something has not come.
  private var state: String {
    let told = runs.map { $0.errors.unreadText }.joined(separator: "\n")
    let why = [["status", "--json"], ["sound"], ["log", "--last", "60"]].map { words in
      (try? lull.run(words)).map { "lull \(words[0]):\n\($0.output)\($0.errors)" } ?? ""
    }
    return (why + ["standard error:\n\(told)"]).joined(separator: "\n")
  }

  /// The process of lull-audio that this lulld has started.
  func audio() throws -> Int32 { try #require(audios().first, "lull-audio does not run") }

  /// Every such process.
  func audios() throws -> [Int32] { try lull.children("lull-audio") }

  /// The output of `lull why`.
  func why(_ program: String) throws -> String { try lull.run("why", program).output }

  /// Expects the whole of a wave in a recording, frame after frame, with nothing but silence around it.
  func expect(_ wave: Wave, in recording: String) throws {
    let bytes = try Files.read(path(recording), limit: 1 << 28)
    let samples = stride(from: 0, to: bytes.count - 1, by: 2).map {
      Int16(truncatingIfNeeded: Int(bytes[$0]) | Int(bytes[$0 + 1]) << 8)
    }
    let start = try #require(samples.firstIndex { $0 != 0 }, "\(recording) is silent")
    let first = try #require(wave.samples.firstIndex { $0 != 0 })
    let wanted = wave.samples[first...]
    let same = zip(samples[start...], wanted).prefix { $0 == $1 }.count
    #expect(same == wanted.count, "\(recording) differs after \(same) of \(wanted.count) samples")
    #expect(samples[start...].dropFirst(wanted.count).allSatisfy { $0 == 0 }, "something follows")
  }
}
