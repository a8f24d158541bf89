internal import LullSystem

package enum AudioServer: String, Sendable {
  /// PulseAudio, or PipeWire in its place.
  case pulseAudio = "PulseAudio"
  case pipeWire = "PipeWire"
  case jack = "JACK"

  init?(peer path: String) {
    let parts = path.split(separator: "/")
    guard path.hasPrefix("/"), parts.count > 1, let name = parts.last else { return nil }
    // The second is that of Windows (WSLg).
    if name == "native" && Self.isPulseDirectory(parts.dropLast()) || name == "PulseServer" {
      self = .pulseAudio
    } else if Self.isPipeWire(name) {
      self = .pipeWire
    } else if path.hasPrefix("/dev/shm/jack") || path.hasPrefix("/tmp/jack-") || name.hasPrefix("jack_") {
      self = .jack
    } else {
      return nil
    }
  }

  /// "/run/user/1000/pulse", "/tmp/pulse-x7Kq", "~/.config/pulse/0123-runtime".
  private static func isPulseDirectory(_ parts: ArraySlice<Substring>) -> Bool {
    guard let directory = parts.last else { return false }
    if directory == "pulse" || directory.hasPrefix("pulse-") { return true }
    let above = parts.dropLast().last
    return directory.hasSuffix("-runtime") && (above == "pulse" || above == ".pulse")
  }

  /// "pipewire-0", "pipewire-0-manager".
  private static func isPipeWire(_ name: Substring) -> Bool {
    guard name.hasPrefix("pipewire-") else { return false }
    let rest = name.dropFirst("pipewire-".count).drop { $0.isASCII && $0.isNumber }
    let digits = name.utf8.count - "pipewire-".utf8.count - rest.utf8.count
    return digits > 0 && (rest.isEmpty || rest == "-manager")
  }
}

package struct SoundServer: Equatable, Sendable {
  package let kind: AudioServer
  /// The address at which it speaks the protocol of PulseAudio, as `PULSE_SERVER` has it, such as
  /// "unix:/run/user/1000/pulse/native" or "tcp:127.0.0.1:4713"; nil where it does not.
  package let address: String?

  /// The connection can have been made to a sound server of this machine. A Unix socket without a name is a
  /// client's.
  package static func mayBe(behind connection: LineDescription) -> Bool {
    let peer = connection.peer
    return switch connection.kind {
    case .unix: peer.hasPrefix("/") || peer.hasPrefix("@")
    case .tcp: peer.hasPrefix("127.") || peer.hasPrefix("[::1]:")
    case .tcpListen, .udp, .set, .other: false
    }
  }

  /// The server to which this process has made a connection; nil when it is none. `raw` is a duplicate of the
  /// connection. A server is known by its usual path, at which a service manager may listen in its place, or
  /// by the name of the process that listens.
  package init?(behind connection: LineDescription, raw: Int32, of pid: Int32) {
    guard Self.mayBe(behind: connection) else { return nil }
    let path = connection.kind == .unix ? connection.peer : nil
    let known = path.map { AudioServer(peer: $0) ?? AudioServer(listening: raw) }
    guard let kind = known ?? AudioServer(onLoopback: connection, of: pid) else { return nil }
    self.kind = kind
    address =
      if let path { kind.pulseAddress(besidePath: path) } else {
        kind == .pulseAudio ? "tcp:\(connection.peer)" : nil
      }
  }
}

extension AudioServer {
  /// Nil for a process that is no sound server. See proc(5), `/proc/PID/comm`.
  init?(command name: String) {
    switch name {
    case "pulseaudio", "pipewire-pulse": self = .pulseAudio
    case "pipewire": self = .pipeWire
    case "jackd", "jackdbus": self = .jack
    default: return nil
    }
  }

  /// The server whose process listened at the Unix socket to which this one is connected.
  fileprivate init?(listening raw: Int32) {
    guard let pid = try? UnixSocket.peer(of: raw).pid, let name = try? Process.commandName(of: pid) else {
      return nil
    }
    self.init(command: name)
  }

  /// The server that has the other end of a connection within this machine. Few machines have a process of
  /// such a name: the files of one and the table of connections are read only then.
  fileprivate init?(onLoopback connection: LineDescription, of pid: Int32) {
    let servers = Process.audioServers()
    guard !servers.isEmpty, let own = connection.localPort, let port = connection.peerPort,
      let inode = Process.inode(ofSocketAt: port, connectedTo: own, seenBy: pid),
      let owner = servers.first(where: { Process.hasSocket(inode, in: $0.pid) })
    else { return nil }
    self = owner.kind
  }

  /// PipeWire answers to PulseAudio's protocol in a folder beside its own socket.
  fileprivate func pulseAddress(besidePath path: String) -> String? {
    guard path.hasPrefix("/") else { return nil }
    switch self {
    case .pulseAudio: return "unix:\(path)"
    case .pipeWire: return "unix:\(path[...(path.lastIndex(of: "/") ?? path.startIndex)])pulse/native"
    case .jack: return nil
    }
  }
}

extension Process {
  /// The most bytes of a table of connections that are read: some 7000 connections.
  private static let longestTable = 1 << 20
  private static let mostFiles = 4096

  fileprivate static func audioServers() -> [(pid: Int32, kind: AudioServer)] {
    var (found, room) = ([(pid: Int32, kind: AudioServer)](), ShortText())
    for pid in (try? NumberedEntries.all(in: "/proc")) ?? [] {
      guard (try? room.read("/proc/\(pid)/comm")) != nil,
        room.hasPrefix("pulse") || room.hasPrefix("pipewire") || room.hasPrefix("jack"),
        let kind = AudioServer(command: String(room.string.prefix { $0 != "\n" }))
      else { continue }
      found.append((pid, kind))
    }
    return found
  }

  /// The inode of a TCP socket of this machine, by its port and that of its peer, as a process sees the
  /// network.
  fileprivate static func inode(ofSocketAt port: UInt16, connectedTo peer: UInt16, seenBy pid: Int32)
    -> UInt64?
  {
    let (port, peer) = (digits(port), digits(peer))
    for (table, width) in [("tcp", 8), ("tcp6", 32)] {
      let bytes = try? Files.read("/proc/\(pid)/net/\(table)", limit: longestTable)
      for line in (bytes ?? []).split(separator: UInt8(ascii: "\n")) {
        guard let colon = line.firstIndex(of: UInt8(ascii: ":")) else { continue }
        // "   4: 0100007F:1269 0100007F:D431 01 00000000:00000000 00:00000000 00000000  1000        0 4711"
        let own = colon + 2 + width + 1
        let other = own + 4 + 1 + width + 1
        guard other + 4 <= line.endIndex, line[own..<own + 4].elementsEqual(port),
          line[other..<other + 4].elementsEqual(peer)
        else { continue }
        let words = line.split(separator: UInt8(ascii: " "))
        guard words.count > 9, let inode = UInt64(String(decoding: words[9], as: UTF8.self)), inode > 0 else {
          continue
        }
        return inode
      }
    }
    return nil
  }

  /// "0A3F".
  private static func digits(_ port: UInt16) -> [UInt8] {
    let text = String(port, radix: 16, uppercase: true)
    return Array(repeating: UInt8(ascii: "0"), count: 4 - text.utf8.count) + Array(text.utf8)
  }

  fileprivate static func hasSocket(_ inode: UInt64, in pid: Int32) -> Bool {
    let files = try? openFiles(of: pid, limit: mostFiles)
    return files?.contains { $0.kind == .socket(inode: inode) } ?? false
  }
}
