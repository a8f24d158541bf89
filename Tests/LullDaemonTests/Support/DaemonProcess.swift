import LullChannel
import LullEngine
import LullGuard
import LullInspect
import LullSystem
import LullWire
import Synchronization
import TestSupport
import Testing

@testable import LullDaemon

private let serial = Atomic<Int>(0)

/// The built `lulld` with a socket and a cgroup directory of its own; the test plays its lull-guard.
final class DaemonProcess {
  let socket: String
  /// The directory of the programs' cgroups; nil for a daemon that works with signals.
  let cgroupRoot: String?
  let link: MessageChannel
  private let folder: String
  private let child: Child
  private let ending: Int32
  private var keeper: DescriptorBox?
  private var buffer = ReceiveBuffer(capacity: 1 << 16)
  private var heard: [(Message, DescriptorBox?)] = []

  /// Starts a daemon. `openFiles` is a hard limit; `isApart`: in a pid namespace of its own, where `pid` is
  /// that of unshare(1); `installed` are files of installed programs, by their names; `ledger` is what the
  /// daemon before this one has left, and `keeper` the name of a program whose keeper listens.
  init(
    hasCgroups: Bool = true, clockRate: Int = 1, openFiles: Int? = nil, isApart: Bool = false,
    installed: KeyValuePairs<String, String> = [:], ledger: [LedgerRecord] = [], keeper: String? = nil
  ) throws {
    ending = isApart ? Signal.kill : Signal.terminate
    let name = "lull-daemon-test-\(Identity.pid())-\(serial.wrappingAdd(1, ordering: .relaxed).newValue)"
    folder = "/tmp/\(name)"
    socket = "\(folder)/control"
    cgroupRoot = hasCgroups ? try "\(CgroupMount.find())/\(name)" : nil
    try RuntimeDirectory.ensure(folder)
    try Leftovers(directory: folder).begin(root: cgroupRoot)
    let listener = DescriptorBox(try UnixSocket.listen(path: socket))
    let (own, other) = try UnixSocket.pair()
    link = MessageChannel(guardLink: own)
    link.tell(Message(GuardVerb.begin))
    let path = try Process.sibling("lulld")
    var arguments = [path, "--guarded", "--clock-rate", "\(clockRate)"]
    if let cgroupRoot { arguments += ["--cgroup-root", cgroupRoot] }
    if let openFiles { arguments = ["sh", "-c", "ulimit -n \(openFiles); exec \"$@\"", "sh"] + arguments }
    if isApart { arguments = ["unshare", "--pid", "--fork", "--kill-child", "--mount-proc"] + arguments }
    var request = SpawnRequest(arguments)
    request.environment.append(Array("LULL_RUNTIME_DIR=\(folder)".utf8))
    request.environment.append(Array("XDG_STATE_HOME=\(folder)/state".utf8))
    request.environment.append(Array("LULL_CONFIG_DIR=\(folder)/configuration".utf8))
    let programs = Self.programFolder(in: folder)
    try Files.makeDirectories(programs)
    for (name, text) in installed { try Files.replace("\(programs)/\(name)", with: Array(text.utf8)) }
    if !ledger.isEmpty { try Files.replace("\(folder)/\(LedgerFile.name)", with: LedgerFile.bytes(ledger)) }
    if let keeper {
      try RuntimeDirectory.ensure("\(folder)/keepers")
      self.keeper = DescriptorBox(try UnixSocket.listen(path: "\(folder)/keepers/\(keeper)"))
    }
    request.passed = [
      .init(listener.raw, as: DaemonOptions.listenerNumber), .init(other.raw, as: DaemonOptions.linkNumber),
    ]
    child = try Child(request)
  }

  var pid: Int32 { child.pid }

  /// The folder of the installed programs.
  var programFolder: String { Self.programFolder(in: folder) }

  private static func programFolder(in folder: String) -> String { "\(folder)/configuration/programs" }

  /// A connection of the test's own.
  func connect() throws -> Peer { try Peer(path: socket) }

  /// A connection of `nc`.
  func netcat() throws -> Peer { try Peer(netcatTo: socket) }

  func signal(_ number: Int32) throws { try child.signal(number) }

  /// The ledger as it would be left to the next daemon.
  func ledger() throws -> Ledger {
    Ledger(try #require(try LedgerFile.read("\(folder)/\(LedgerFile.name)")).records)
  }

  /// The daemon's next message to its guard, with the descriptor that came with it.
  func told() throws -> (message: Message, descriptor: DescriptorBox?) {
    while heard.isEmpty {
      try ready(link.socket.raw, .readable, "the daemon told its guard nothing")
      let came = link.receiveAll(&buffer)
      heard = try #require(came, "the daemon closed the link to its guard")
    }
    let (message, descriptor) = heard.removeFirst()
    return (message, descriptor)
  }

  /// Ends the daemon in good order.
  func stop() throws {
    try child.signal(Signal.terminate)
    #expect(try child.end() == .exited(0))
  }

  /// The daemon's private memory, in bytes.
  func ownMemory() throws -> Int {
    let status = String(decoding: try Files.read("/proc/\(pid)/status", limit: 1 << 16), as: UTF8.self)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") })
    return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) }) * 1024
  }

  /// The most memory that the daemon ever used, in bytes.
  func highWater() throws -> Int {
    let status = String(decoding: try Files.read("/proc/\(pid)/status", limit: 1 << 16), as: UTF8.self)
    let line = try #require(status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") })
    return try #require(line.split(separator: " ").dropFirst().first.flatMap { Int($0) }) * 1024
  }

  /// True when the daemon waits, as proc(5) tells.
  func isIdle() throws -> Bool {
    let stat = try Files.read("/proc/\(pid)/stat", limit: 1 << 16)
    return try #require(stat.lastIndex(of: UInt8(ascii: ")")).map { stat[$0 + 2] }) == UInt8(ascii: "S")
  }

  /// Without the journal's file: the thread that writes opens it when the first entry is due.
  func openDescriptors() throws -> Int {
    try Process.openFiles(of: pid, limit: 1 << 16).filter { !"\($0.kind)".hasSuffix("/journal.log") }.count
  }

  /// The sockets that the daemon has open: others may come while one goes.
  func openSockets() throws -> Set<OpenFile> {
    Set(try Process.openFiles(of: pid, limit: 1 << 16)).filter {
      if case .socket = $0.kind { true } else { false }
    }
  }

  /// The kernel's state of a program's cgroup.
  func state(of name: String) throws -> (populated: Bool, frozen: Bool) {
    try Cgroup.open(at: "\(#require(cgroupRoot))/\(CgroupPlace.leaf(of: name))").state()
  }

  func waitFrozen(_ name: String, _ isFrozen: Bool = true) throws {
    try eventually("\(name) did not become frozen \(isFrozen)") { try state(of: name).frozen == isFrozen }
  }

  /// Ends commands that still run, which the daemon leaves running.
  private func removePrograms(_ root: String) {
    for name in (try? Cgroup.children(of: root)) ?? [] {
      guard let cgroup = try? Cgroup.open(at: "\(root)/\(name)") else { continue }
      try? cgroup.killAll()
      try? eventually("\(name) did not become empty") { try !cgroup.state().populated }
    }
    removeCgroups(below: root)
  }

  deinit {
    // The daemon ends before the link to its guard: without a guard it would start another one.
    try? child.signal(ending)
    _ = try? child.end()
    if let cgroupRoot { removePrograms(cgroupRoot) }
    try? Files.unlink(socket)
    if let remover = try? Child(SpawnRequest(["rm", "-rf", folder])) { _ = try? remover.end() }
  }
}

/// Removes the directory of a daemon's cgroups, in which nothing runs any more.
func removeCgroups(below root: String) {
  for name in (try? Cgroup.children(of: root)) ?? [] { try? Cgroup.open(at: "\(root)/\(name)").remove() }
  try? Cgroup.open(at: root).remove()
}

extension MessageChannel {
  /// The messages that have come; nil at the end.
  func receiveAll(_ buffer: inout ReceiveBuffer) -> [(Message, DescriptorBox?)]? {
    if case .ended = receive(into: &buffer) { return nil }
    var messages: [(Message, DescriptorBox?)] = []
    while let (message, descriptor) = nextMessage() { messages.append((message, descriptor)) }
    return messages
  }
}
