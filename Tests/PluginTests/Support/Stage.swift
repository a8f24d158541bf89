import Fuzzing
import Glibc
import LullChannel
import LullSystem
import TestSupport
import Testing

/// A scratch folder with the built plugin in ALSA's configuration, and a listener that stands in for lulld
/// and lull-audio (Tests/Support/listener).
final class Stage {
  private let folder: TemporaryDirectory
  private(set) var listener: ConnectedChild
  private var environment: [String]

  /// `fields` are those of the device `lull`.
  init(fields: String = "") throws {
    folder = try TemporaryDirectory()
    environment = [
      "LULL_RUNTIME_DIR=\(folder.path)", "ALSA_CONFIG_PATH=\(folder.path)/asoundrc",
      "LULL_GUARD=/nonexistent/guard",
    ]
    // A plugin with sanitizers needs their runtime in each program that loads it.
    if let runtime = Identity.environment("LULL_PLUGIN_RUNTIME") { environment += ["LD_PRELOAD=\(runtime)"] }
    let configuration = """
      </usr/share/alsa/alsa.conf>
      pcm_type.lull { lib "\(try Plugin.path())" }
      pcm.lull { type lull \(fields) }

      """
    _ = try folder.file("asoundrc", configuration)
    listener = try Self.startListener(folder)
  }

  deinit { try? endListener() }

  func heard() throws -> [UInt8] { try Files.read(path("heard"), limit: 1 << 26) }

  /// Waits until nothing more is played. The listener takes the frames in pieces.
  func awaitSilence() throws {
    var nothing: [PollEntry] = []
    try eventually("it does not fall silent") {
      let before = try heard().count
      try Socket.pollMany(&nothing, timeoutMilliseconds: 50)
      return try heard().count == before
    }
  }

  func path(_ name: String) -> String { "\(folder.path)/\(name)" }

  /// Writes `frames` frames of noise, 16 bits and two channels, bare and as NAME.wav, and returns their
  /// bytes. The name is the seed.
  func noise(_ name: String, frames: Int) throws -> [UInt8] {
    var random = SplitMix64(seed: name.utf8.reduce(0) { $0 << 8 | UInt64($1) })
    var bytes: [UInt8] = []
    for _ in 0..<frames {
      let value: UInt32 = random.next()
      for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
    try Self.write(bytes, to: path(name))
    try Self.write(Self.header(count: bytes.count) + bytes, to: path("\(name).wav"))
    return bytes
  }

  func start(_ arguments: [String]) throws -> ConnectedChild {
    try ConnectedChild(arguments, environment: environment)
  }

  /// `aplay` for a file of `noise`.
  func play(_ name: String, _ arguments: [String] = []) throws -> ConnectedChild {
    try start(["aplay", "-q", "-D", "lull"] + arguments + [path("\(name).wav")])
  }

  /// The test's own ALSA program (Tests/Support/alsa-client).
  func client(_ mode: String, _ files: String...) throws -> ConnectedChild {
    try start([try Built.helper("alsa-client"), mode] + files.map(path))
  }

  /// The listener goes, as lulld and lull-audio do when they are killed.
  func endListener() throws {
    try listener.signal(Signal.terminate)
    try listener.end()
  }

  func restartListener() throws { listener = try Self.startListener(folder) }

  /// Starts a listener of another user in the same place.
  func restartListener(user: UInt32) throws {
    let changed = unsafe chown(folder.path, user, user)
    try #require(changed == 0, "only root can start a process of another user")
    listener = try Self.startListener(
      folder, by: ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"])
  }

  private static func startListener(
    _ folder: TemporaryDirectory, by starter: [String] = []
  ) throws -> ConnectedChild {
    let listener = try ConnectedChild(
      starter + [try Built.helper("listener"), folder.path, "\(folder.path)/heard"])
    try listener.awaitLine("ready")
    return listener
  }

  /// The header of a WAV file: 16 bits, two channels, 48 kHz. aplay adds silence to a file without one.
  private static func header(count: Int) -> [UInt8] {
    func bytes(_ value: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }
    return Array("RIFF".utf8) + bytes(count + 36, 4) + Array("WAVEfmt ".utf8) + bytes(16, 4) + bytes(1, 2)
      + bytes(2, 2)
      + bytes(48_000, 4) + bytes(48_000 * 4, 4) + bytes(4, 2) + bytes(16, 2) + Array("data".utf8)
      + bytes(count, 4)
  }

  private static func write(_ bytes: [UInt8], to path: String) throws {
    let file = Descriptor(owning: unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode_t(0o600)))
    try StandardStreams.write(bytes, to: file.raw)
  }
}

enum Plugin {
  /// Built once, before the first test that needs it; `LULL_PLUGIN` names one that is built already.
  private static let built = Result {
    if let path = Identity.environment("LULL_PLUGIN") { return path }
    let root = #filePath.split(separator: "/").dropLast(4).reduce("") { "\($0)/\($1)" }
    let build = try ConnectedChild(["bash", "-c", "cd '\(root)' && . Tools/common.sh && build_plugin"])
    try Deadline(milliseconds: 30_000).wait(build.pidfd, .readable, for: "the plugin")
    // Not `#require`: its error would be recorded for the first test only.
    guard try build.end() == .exited(0) else { throw NotBuilt(compiler: try build.errors.untilEnd()) }
    return "\(root)/.build/plugin/libasound_module_pcm_lull.so"
  }

  struct NotBuilt: Error { let compiler: String }

  static func path() throws -> String { try built.get() }
}

extension ConnectedChild {
  func expectSuccess() throws {
    let (status, text) = (try end(), try errors.untilEnd())
    #expect(status == .exited(0), "\(text)")
  }

  @discardableResult
  func awaitLine(_ start: String) throws -> String { try output.line { $0.hasPrefix(start) } }

  func say(_ line: String) throws { try output.send(line + "\n") }

  /// The clock ticks of processor time that the program has used.
  func processorTicks() throws -> Int {
    let stat = String(decoding: try Files.read("/proc/\(pid)/stat", limit: 4096), as: UTF8.self)
    let fields = try stat[#require(stat.lastIndex(of: ")"))...].split(separator: " ")
    return try #require(Int(fields[12])) + #require(Int(fields[13]))
  }
}
