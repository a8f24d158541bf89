import LullEngine
import LullSystem
import LullWire

/// What `run` said of a command.
struct CommandRules {
  /// The command with its arguments, by which one that did not bear to be frozen is known again.
  let words: String
  /// The only ports whose sockets wake it; empty: all do.
  var wakeOn: [UInt16] = []
  /// Ports whose sockets neither wake it nor keep it awake.
  var ignore: [UInt16] = []
  /// How often the kernel is to probe its idle TCP connections, in seconds.
  var tcpKeepAlive: Int32?
  /// Where the keep-alive datagrams of UDP sockets without a peer go.
  var udpKeepAliveTo: SocketAddress?
  /// How often it is woken for its own timers.
  var timers: Request.Timers?

  /// Not every network socket wakes it.
  var choosesPorts: Bool { !wakeOn.isEmpty || !ignore.isEmpty }

  /// Whether a network socket with these ports is watched.
  func watches(_ line: LineDescription) -> Bool {
    let ports = [line.localPort, line.peerPort].compactMap(\.self)
    guard !ports.isEmpty else { return true }
    if ports.contains(where: ignore.contains) { return false }
    return wakeOn.isEmpty || ports.contains(where: wakeOn.contains)
  }
}

extension CommandRules {
  /// A script is not known by its interpreter alone. What is longer is cut off.
  static func text(_ command: CommandBlock) -> String {
    let words = (0..<command.argumentCount).lazy.prefix(1024).map { command[$0].prefix(1024) }
    let bytes = Array(words.joined(separator: [UInt8(ascii: " ")]).prefix(1024))
    return String(decoding: bytes, as: UTF8.self)
  }

  init(_ run: Request.Run, words: String) {
    self.init(
      words: words, wakeOn: run.wakeOn, ignore: run.ignore,
      tcpKeepAlive: run.tcpKeepaliveNanoseconds.map { Int32(clamping: max(1, $0 / 1_000_000_000)) },
      udpKeepAliveTo: run.udpKeepaliveTo.flatMap(SocketAddress.init(numeric:)), timers: run.timers)
  }
}

extension Registration {
  /// A command as `run` asks for it.
  init(_ run: Request.Run, name: String) {
    self.init(name: name, modes: Modes(run.effectiveModes))
    speaks = false
    batchWakes = run.batchWakesNanoseconds.map(Interval.init(nanoseconds:))
    keepAlive = run.keepAliveNanoseconds.map(Interval.init(nanoseconds:))
    linger = run.lingerNanoseconds.map(Interval.init(nanoseconds:))
    silence = run.silenceNanoseconds.map(Interval.init(nanoseconds:))
    udpKeepAlive = run.udpKeepaliveNanoseconds.map(Interval.init(nanoseconds:))
    timers =
      switch run.timers {
      case .floor(let floor): .floor(Interval(nanoseconds: floor))
      case .never: .never
      case nil: .automatic
      }
    launch = sleepsByItself ? .background : .foreground
  }
}
