import Fuzzing
import Glibc
import LullChannel
import LullSystem
import TestSupport
import Testing

/// A scratch folder with the built plugin in ALSA's configuration, and a listener that stands in for lulld
/// and lull-audio (Tests/Support/listener).
final class Stage {
  let directory: String
  private(set) var listener: Program
  private var environment: [String]

  /// Creates a stage; `fields` are those of the device `lull`.
  init(fields: String = "") throws {
    directory = "/tmp/lull-pcm-\(Identity.pid())-\(UInt64.random(in: 0 ... .max))"
    try Files.ensureRuntimeDirectory(directory)
    environment = [
      "LULL_RUNTIME_DIR=\(directory)", "ALSA_CONFIG_PATH=\(directory)/asoundrc",
      "LULL_GUARD=/nonexistent/guard",
    ]
    // A plugin with sanitizers needs their runtime in each program that loads it.
    if let runtime = Identity.environment("LULL_PLUGIN_RUNTIME") { environment += ["LD_PRELOAD=\(runtime)"] }
    let configuration = """
      </usr/share/alsa/alsa.conf>
      pcm_type.lull { lib "\(try Plugin.path())" }
      pcm.lull { type lull \(fields) }

      """
    try Stage.write(Array(configuration.utf8), to: "\(directory)/asoundrc")
    listener = try Stage.startListener(directory)
  }

  deinit {
    listener.end()
    if let remover = try? Program(["rm", "-rf", directory]) { _ = try? remover.status() }
  }

  /// The bytes played so far.
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

  func path(_ name: String) -> String { "\(directory)/\(name)" }

  /// Writes `frames` frames of noise, 16 bits and two channels, bare and as NAME.wav, and returns their
  /// bytes. The name is the seed.
  func noise(_ name: String, frames: Int) throws -> [UInt8] {
    var random = SplitMix64(seed: name.utf8.reduce(0) { $0 << 8 | UInt64($1) })
    var bytes: [UInt8] = []
    for _ in 0..<frames {
      let value: UInt32 = random.next()
      for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: value >> shift)) }
    }
    try Stage.write(bytes, to: path(name))
    try Stage.write(Stage.header(count: bytes.count) + bytes, to: path("\(name).wav"))
    return bytes
  }

  /// Starts a program with the stage's plugin and listener.
  func start(_ arguments: [String]) throws -> Program { try Program(arguments, environment: environment) }

  /// `aplay` for a file of `noise`.
  func play(_ name: String, _ arguments: [String] = []) throws -> Program {
    try start(["aplay", "-q", "-D", "lull"] + arguments + [path("\(name).wav")])
  }

  /// The test's own ALSA program (Tests/Support/alsa-client).
  func client(_ mode: String, _ files: String...) throws -> Program {
    try start([try Built.helper("alsa-client"), mode] + files.map(path))
  }

  /// Ends the listener, as when lulld and lull-audio are killed.
  func endListener() { listener.end() }

  func restartListener() throws { listener = try Stage.startListener(directory) }

  /// Starts a listener of another user in the same place.
  func restartListener(user: UInt32) throws {
    let changed = unsafe chown(directory, user, user)
    try #require(changed == 0, "only root can start a process of another user")
    listener = try Stage.startListener(
      directory, by: ["setpriv", "--reuid=\(user)", "--regid=\(user)", "--clear-groups"])
  }

  private static func startListener(_ directory: String, by starter: [String] = []) throws -> Program {
    let listener = try Program(starter + [try Built.helper("listener"), directory, "\(directory)/heard"])
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
    let file = unsafe open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode_t(0o600))
    let descriptor = Descriptor(owning: file)
    var written = 0
    while written < bytes.count {
      let count = unsafe bytes.withUnsafeBytes { bytes in
        let rest = unsafe UnsafeRawBufferPointer(rebasing: bytes[written...])
        return unsafe Glibc.write(descriptor.raw, rest.baseAddress, rest.count)
      }
      try #require(count > 0)
      written += count
    }
  }
}

/// The built plugin.
enum Plugin {
  /// Built once, before the first test that needs it; `LULL_PLUGIN` names one that is built already.
  private static let built = Result {
    if let path = Identity.environment("LULL_PLUGIN") { return path }
    let root = #filePath.split(separator: "/").dropLast(4).reduce("") { "\($0)/\($1)" }
    let build = try Program(["bash", "-c", "cd '\(root)' && . Tools/common.sh && build_plugin"])
    let status = try build.status()
    // Not `#require`: its error would be recorded for the first test only.
    guard status == .exited(0) else { throw NotBuilt(compiler: try build.errors()) }
    return "\(root)/.build/plugin/libasound_module_pcm_lull.so"
  }

  struct NotBuilt: Error { let compiler: String }

  static func path() throws -> String { try built.get() }
}
