import LullEngine
import LullInspect
import LullSystem
import LullWire

struct CommandRules: Equatable {
  /// The command with its arguments: a command that ended when it was frozen is known again by them.
  let words: String
  /// The ledger has the request too.
  let run: Request.Run
  /// Nil for a command of `lull run`.
  let adoption: Request.Adopt?
  /// For the keep-alive datagrams of UDP sockets without a peer.
  let udpKeepAliveTo: SocketAddress?

  /// The only ports whose sockets wake the command; empty: all do.
  var wakeOn: [UInt16] { run.settings.wakeOn }
  /// Ports whose sockets neither wake the command nor keep it awake.
  private var ignore: [UInt16] { run.settings.ignore }
  /// In seconds between the kernel's probes of an idle connection.
  var tcpKeepAlive: Int32? {
    run.settings.tcpKeepAlive.map { Int32(clamping: max(1, $0.nanoseconds / 1_000_000_000)) }
  }

  private var ignoredPeers: [PeerRange] { run.settings.ignoredPeers }

  /// Only some of its sockets are watched, or one of them is looked at before it wakes the command.
  var choosesLines: Bool { !wakeOn.isEmpty || !ignore.isEmpty || !ignoredPeers.isEmpty }

  /// True for a listening socket whose queue is looked at before it wakes the command.
  func looksAtQueue(_ line: LineDescription) -> Bool { line.kind == .tcpListen && !ignoredPeers.isEmpty }

  var answersProbes: Bool { !run.settings.probes.isEmpty }

  func probes(at port: UInt16?) -> [ProbeRule] { run.settings.probes(at: port) }

  func verdict(on queue: ConnectionQueue, port: UInt16?, room: Int) -> QueueVerdict {
    run.settings.verdict(on: queue, port: port, room: room)
  }

  /// False also for a connection that its peer has broken off.
  func ignores(_ connection: DescriptorBox) -> Bool {
    guard let peer = (try? Socket.peerAddress(connection.raw))?.networkBytes else { return false }
    return run.settings.ignores(peer: peer.address)
  }

  func watches(_ line: LineDescription) -> Bool {
    if !ignoredPeers.isEmpty, let peer = line.peerHost, run.settings.ignores(peer: peer.bytes) {
      return false
    }
    let ports = [line.localPort, line.peerPort].compactMap(\.self)
    guard !ports.isEmpty else { return true }
    if ports.contains(where: ignore.contains) { return false }
    return wakeOn.isEmpty || ports.contains(where: wakeOn.contains)
  }
}

extension CommandRules {
  /// Cut off when they are long. The arguments belong to them: a script is not known by its interpreter
  /// alone.
  static func text(_ command: CommandBlock) -> String {
    let words = (0..<command.argumentCount).lazy.prefix(1024).map { command[$0].prefix(1024) }
    let bytes = Array(words.joined(separator: [UInt8(ascii: " ")]).prefix(1024))
    return String(decoding: bytes, as: UTF8.self)
  }

  init(_ adoption: Request.Adopt, words: String) { self.init(adoption.run, words: words, adoption) }

  /// As the ledger has it, also of a version with more fields; nil for what is no such request.
  init?(_ entry: CommandEntry) {
    guard let line = try? Message.parse(entry.run) else { return nil }
    if line.verb == Verb.adopt.rawValue, let adoption = try? Request.Adopt(line) {
      self.init(adoption, words: entry.words)
    } else if line.verb == Verb.run.rawValue, let run = try? Request.Run(line) {
      self.init(run, words: entry.words)
    } else {
      return nil
    }
  }

  /// For the ledger.
  var request: Request { adoption.map { .adopt($0) } ?? .run(run) }

  init(_ run: Request.Run, words: String, _ adoption: Request.Adopt? = nil) {
    self.init(
      words: words, run: run, adoption: adoption,
      udpKeepAliveTo: run.settings.udpKeepAliveTo.flatMap(SocketAddress.init(numeric:)))
  }
}

extension Registration {
  init(_ run: Request.Run, name: String) {
    self.init(name: name, run.settings)
    settings.modes = settings.effectiveModes
    speaks = false
    if run.returns { returnsFor = run.launch?.reason ?? .user }
    launch = sleepsByItself ? .background : .foreground
  }
}
