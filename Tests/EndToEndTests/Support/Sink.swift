import Glibc
import LullSystem
import TestSupport
import Testing

/// A sound device without hardware that takes its frames in real time: PulseAudio with a null sink, for
/// lull-audio alone, and the ALSA device `lull` for programs.
final class Sink {
  let environment: [String]
  private let folder: String
  private let port: UInt16
  private let server: ConnectedChild

  /// In a network, over TCP too.
  init(_ sandbox: Sandbox, in network: Network) throws {
    try Executables.require("pulseaudio", package: "pulseaudio")
    try Executables.require("aplay", package: "alsa-utils")
    // PulseAudio is known by the name of its socket.
    folder = "\(sandbox.directory)/pulse"
    try Kernel.check(unsafe mkdir(folder, 0o700))
    port = try network.freePort()
    let plugin = try Executables.plugin()
    try Kernel.write(
      """
      load-module module-null-sink sink_name=lull rate=48000 format=s16le channels=2 norewinds=1
      set-default-sink lull
      load-module module-native-protocol-unix auth-anonymous=1 socket=\(folder)/native
      load-module module-native-protocol-unix auth-anonymous=1 socket=\(folder)/sound
      load-module module-native-protocol-tcp auth-anonymous=1 listen=127.0.0.1 port=\(port)

      """, to: "\(folder)/sink.pa")
    try Kernel.write(
      """
      </usr/share/alsa/alsa.conf>
      pcm.!default { type pulse server "unix:\(folder)/native" }
      ctl.!default { type pulse server "unix:\(folder)/native" }
      pcm.headset { type pulse server "unix:\(folder)/headset" }
      pcm_type.lull { lib "\(plugin)" }
      pcm.lull { type lull }
      pcm.alone { type lull mix no }
      pcm.call { type lull category playAndRecord mix no }

      """, to: "\(folder)/asoundrc")
    environment = ["ALSA_CONFIG_PATH=\(folder)/asoundrc"]
    server = try Self.serve(folder, "native", script: "sink", prefix: network.prefix)
  }

  /// A server that listens at this socket.
  private static func serve(
    _ folder: String, _ socket: String, script: String? = nil, prefix: [String] = []
  ) throws -> ConnectedChild {
    let home = "\(folder)/home-\(socket)"
    let run = "\(folder)/run-\(socket)"
    for path in [home, run] where !Files.exists(path) { try Kernel.check(unsafe mkdir(path, 0o700)) }
    let server = try ConnectedChild(
      prefix + [
        "pulseaudio", "-n", "-F", "\(folder)/\(script ?? socket).pa", "--daemonize=no", "--exit-idle-time=-1",
        "--realtime=no", "--high-priority=no", "--use-pid-file=no",
      ], environment: ["HOME=\(home)", "XDG_RUNTIME_DIR=\(run)"])
    let deadline = Deadline()
    while !Files.exists("\(folder)/\(socket)") {
      guard !deadline.isOver, try server.isAlive else {
        throw NothingCame(description: "pulseaudio does not serve: \(try server.errors.untilEnd())")
      }
      _ = try Socket.poll(server.pidfd, .readable, timeoutMilliseconds: 20)
    }
    return server
  }

  /// A second device, `headset` for ALSA, is plugged in; it is pulled out when its server is killed.
  func plugHeadset() throws -> ConnectedChild {
    let socket = "\(folder)/headset"
    if Files.exists(socket) { try Files.unlink(socket) }
    try Kernel.write(
      """
      load-module module-null-sink sink_name=headset rate=48000 format=s16le channels=2 norewinds=1
      set-default-sink headset
      load-module module-native-protocol-unix auth-anonymous=1 socket=\(socket)

      """, to: "\(folder)/headset.pa")
    return try Self.serve(folder, "headset")
  }

  /// The variable with which a program finds the server behind a socket of this folder. The usual one has
  /// also the socket "sound", which no server has by its name.
  func server(_ socket: String) -> String { "PULSE_SERVER=unix:\(folder)/\(socket)" }

  /// The same over TCP.
  var serverOverTCP: String { "PULSE_SERVER=tcp:127.0.0.1:\(port)" }

  /// The usual device goes away for good.
  func end() throws {
    try server.signal(Signal.kill)
    try server.end()
  }

  /// Records what the sink plays, in its own format, until it is ended.
  func record(_ sink: String = "lull", to path: String) throws -> ConnectedChild {
    let recorder = try ConnectedChild(
      [
        "parecord", "-d", "\(sink).monitor", "--latency-msec=20", "--raw", "--rate=48000", "--channels=2",
        "--format=s16le", path,
      ],
      environment: [
        server(sink == "lull" ? "native" : sink), "HOME=\(folder)/home-native",
      ])
    // What the recorder says is not read while it records: verbose, it would block on a full socket.
    try eventually("\(sink) is not recorded") {
      guard try recorder.isAlive else {
        throw NothingCame(description: "parecord: \(try recorder.errors.untilEnd())")
      }
      return try Files.exists(path) && !Files.read(path, limit: 1 << 28).isEmpty
    }
    return recorder
  }
}

extension Executables {
  /// The ALSA plugin, which `Tools/test` builds.
  static func plugin() throws -> String {
    let root = #filePath.split(separator: "/").dropLast(4).reduce("") { "\($0)/\($1)" }
    let path = "\(root)/.build/plugin/libasound_module_pcm_lull.so"
    try #require(Files.exists(path), "\(path) is not built: Tools/test builds it")
    return path
  }
}
