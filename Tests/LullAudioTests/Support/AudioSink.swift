import Glibc
import LullSystem
import TestSupport
import Testing

/// A sound device without hardware that plays in real time, in a temporary folder: the null sink of
/// PulseAudio, or of PipeWire in its place.
final class AudioSink {
  enum Server { case pulseAudio, pipeWire }

  var folder: String { directory.path }
  private let directory: TemporaryDirectory
  private let kind: Server
  private(set) var server: Child?
  /// The programs that PipeWire needs beside its server for PulseAudio's clients.
  private var helpers: [Child] = []

  init(_ kind: Server = .pulseAudio) throws {
    self.kind = kind
    directory = try TemporaryDirectory()
    for name in ["home", "run", "pipewire", "pipewire/pipewire.conf.d"] {
      let made = unsafe mkdir("\(folder)/\(name)", 0o700)
      #expect(made == 0)
    }
    try Self.write(
      """
      load-module module-null-sink sink_name=lull rate=48000 format=s16le channels=2 norewinds=1
      set-default-sink lull
      load-module module-native-protocol-unix auth-anonymous=1 socket=\(folder)/native

      """, to: "\(folder)/sink.pa")
    try Self.write(
      """
      context.objects = [
        { factory = adapter args = { factory.name = support.null-audio-sink node.name = lull
          media.class = Audio/Sink object.linger = true audio.position = [ FL FR ] } }
      ]

      """, to: "\(folder)/pipewire/pipewire.conf.d/sink.conf")
    try Self.write(
      """
      </usr/share/alsa/alsa.conf>
      pcm.!default { type pulse server "unix:\(socket)" }
      ctl.!default { type pulse server "unix:\(socket)" }

      """, to: "\(folder)/asoundrc")
    // As the package pipewire-pulse has it, which would take the desktop's PulseAudio over.
    try Self.write(
      """
      context.spa-libs = {
        audio.convert.* = audioconvert/libspa-audioconvert
        support.* = support/libspa-support
      }
      context.modules = [
        { name = libpipewire-module-protocol-native }
        { name = libpipewire-module-client-node }
        { name = libpipewire-module-adapter }
        { name = libpipewire-module-metadata }
        { name = libpipewire-module-protocol-pulse }
      ]
      pulse.properties = { server.address = [ "unix:native" ] pulse.min.quantum = 1024/48000 }

      """, to: "\(folder)/pipewire/pulse.conf")
    try start()
  }

  private static func write(_ text: String, to path: String) throws {
    let raw = unsafe open(path, O_CREAT | O_WRONLY | O_TRUNC | O_CLOEXEC, 0o600)
    try #require(raw >= 0)
    let file = Descriptor(owning: raw)
    try StandardStreams.write(Array(text.utf8), to: file.raw)
  }

  /// The socket of the server.
  private var socket: String {
    switch kind {
    case .pulseAudio: "\(folder)/native"
    case .pipeWire: "\(folder)/run/pulse/native"
    }
  }

  private var bus: String { "unix:path=\(folder)/bus" }

  /// In milliseconds; PipeWire loses what comes in steps that are longer.
  fileprivate var recordingLatency: Int {
    switch kind {
    case .pulseAudio: 20
    case .pipeWire: 200
    }
  }

  /// The environment in which a program plays on this sink.
  var environment: [String] {
    let common = [
      "HOME=\(folder)/home", "XDG_RUNTIME_DIR=\(folder)/run", "ALSA_CONFIG_PATH=\(folder)/asoundrc",
      "PULSE_SERVER=unix:\(socket)",
    ]
    switch kind {
    case .pulseAudio: return common
    case .pipeWire:
      return common + ["XDG_CONFIG_HOME=\(folder)", "DBUS_SESSION_BUS_ADDRESS=\(bus)"]
    }
  }

  func request(_ arguments: [String]) -> SpawnRequest {
    var request = SpawnRequest(arguments)
    let names = environment.map { $0.prefix { $0 != "=" } + "=" }
    request.environment =
      request.environment.filter { entry in !names.contains { entry.starts(with: $0.utf8) } }
      + environment.map { Array($0.utf8) }
    return request
  }

  /// Runs a command before others where that is allowed: PipeWire loses frames on a busy machine otherwise.
  private static let inRealTime = [
    "sh", "-c", "chrt --rr 10 true 2>/dev/null && exec chrt --rr 10 \"$@\"; exec \"$@\"", "sh",
  ]

  func start() throws {
    switch kind {
    case .pulseAudio:
      server = try Child(
        quiet(
          request([
            "pulseaudio", "-n", "-F", "\(folder)/sink.pa", "--daemonize=no", "--exit-idle-time=-1",
            "--realtime=no",
            "--high-priority=no", "--use-pid-file=no",
          ])))
    case .pipeWire:
      try help(
        ["dbus-daemon", "--session", "--nofork", "--nosyslog", "--address=\(bus)"], at: "\(folder)/bus")
      try help(Self.inRealTime + ["pipewire"], at: "\(folder)/run/pipewire-0")
      try help(["wireplumber"])
      let words = ["pipewire", "-c", "\(folder)/pipewire/pulse.conf"]
      server = try Child(quiet(request(Self.inRealTime + words)))
    }
    try awaitSocket(socket)
    // The session manager is the last: until it chooses the sink nothing is played.
    try eventually("the sink is not chosen") {
      let text = try String(decoding: output(of: request(["pactl", "info"])), as: UTF8.self)
      return text.contains("Default Sink: lull\n")
    }
  }

  /// Starts a program that the server needs, and waits until it listens at a socket.
  private func help(_ arguments: [String], at socket: String? = nil) throws {
    helpers.append(try Child(quiet(request(arguments))))
    if let socket { try awaitSocket(socket) }
  }

  private func awaitSocket(_ path: String) throws {
    try eventually("nothing listens at \(path)") {
      guard let socket = try? UnixSocket.connect(path: path) else { return false }
      DescriptorBox(socket).close()
      return true
    }
  }

  private func quiet(_ request: SpawnRequest) throws -> SpawnRequest {
    var request = request
    null = DescriptorBox(try Files.openNull())
    request.standardInput = null?.raw
    request.standardOutput = null?.raw
    request.standardError = null?.raw
    return request
  }
  private var null: DescriptorBox?

  /// Kills the server, so that the device is gone as if unplugged.
  func unplug() throws {
    try server?.signal(LullSystem.Signal.kill)
    try server?.end()
    server = nil
    try Files.unlink(socket)
  }

  /// Suspends the device, or lets it go on.
  func suspend(_ suspends: Bool) throws {
    _ = try output(of: request(["pactl", "suspend-sink", "lull", suspends ? "1" : "0"]))
  }

  func record() throws -> Recorder { try Recorder(self) }

  deinit {
    if let server {
      try? server.signal(LullSystem.Signal.kill)
      _ = try? server.end()
    }
  }
}

/// The output of the sink: 16 bits, 48 kHz, stereo.
final class Recorder {
  private let child: Child
  private let pipe: DescriptorBox
  private var buffer = ReceiveBuffer(capacity: 1 << 16)
  private var rest: [UInt8] = []
  /// The recorded frames: left in the low half, right in the high one.
  private(set) var frames: [UInt32] = []

  init(_ sink: AudioSink) throws {
    let (here, there) = try UnixSocket.pair()
    var request = sink.request([
      "parec", "-d", "lull.monitor", "--raw", "--latency-msec=\(sink.recordingLatency)", "--rate=48000",
      "--channels=2",
      "--format=s16le",
    ])
    request.standardOutput = there.raw
    child = try Child(request)
    pipe = here
    there.close()
    try ready(pipe.raw, .readable, "parec hears nothing: apt-get install pulseaudio-utils")
  }

  /// Reads the frames recorded since the last call.
  func read() throws {
    while true {
      guard case .bytes = try Socket.read(pipe.raw, into: &buffer) else { return }
      rest += buffer.received
      let whole = rest.count / 4
      for frame in 0..<whole {
        frames.append(
          UInt32(rest[4 * frame]) | UInt32(rest[4 * frame + 1]) << 8 | UInt32(rest[4 * frame + 2]) << 16
            | UInt32(rest[4 * frame + 3]) << 24)
      }
      rest.removeFirst(4 * whole)
    }
  }

  /// Waits until the recording meets a condition.
  func until(_ comment: Comment, _ isSo: ([UInt32]) throws -> Bool) throws {
    try eventually(comment) {
      try read()
      return try isSo(frames)
    }
  }
}
