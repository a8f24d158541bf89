import Glibc
import LullChannel
import LullEngine
import LullGuard
import LullInspect
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// Commands that run with a listening socket that they got back, with real sockets; nobody is launched.
@Suite(.bounded) struct KeptTakingTests {
  private let services: SharedServices
  private let kept: KeptLines
  /// The programs that the engine is to start once without their lines.
  private final class Launches { var names: [String] = [] }

  private let toLaunch = Launches()
  private let door: LineCopy
  private let port: UInt16
  /// The life that has got the socket back.
  private let program: Program

  init() throws {
    services = try SharedServices(DaemonOptions())
    kept = KeptLines(services, Policy()) { [toLaunch] event in
      if case .linesWait(let name, after: .letGo) = event { toLaunch.names.append(name) }
    }
    let listener = try Self.listener()
    door = try Self.copy(listener)
    port = try #require(door.description.localPort)
    let predecessor = try testProgram("server")
    predecessor.parts(.keepingLines(restarts: true))
    kept.keep([door], of: predecessor)
    kept.ended(predecessor, keeps: true)
    try #require(kept.hand("server").count == 1)
    program = try testProgram("server", id: AppID(slot: 1, generation: 0))
    kept.started(program)
  }

  /// Several of them may have one port.
  private static func listener(port: UInt16 = 0) throws -> DescriptorBox {
    let raw = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let listener = DescriptorBox(Descriptor(owning: raw))
    var (on, address) = (Int32(1), sockaddr_in())
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    try #require(unsafe setsockopt(raw, SOL_SOCKET, SO_REUSEPORT, &on, 4) == 0)
    let bound = unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        unsafe bind(raw, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
      }
    }
    try #require(bound == 0)
    try #require(listen(raw, 8) == 0)
    return listener
  }

  private static func copy(_ socket: DescriptorBox) throws -> LineCopy {
    LineCopy(
      line: nil, descriptor: socket, identity: try FileIdentity.of(socket.raw),
      description: Socket.describe(socket.raw))
  }

  /// What the looks find out, up to the last one.
  private func saw(_ look: TakingLook) -> [Bool] {
    (1...Policy().keptLooks).map { _ in kept.saw(look, at: program.id) }
  }

  private func launches() -> [String] {
    defer { toLaunch.names = [] }
    return toLaunch.names
  }

  @Test func `one that binds beside it is started once without it, and that is told until the start after`()
    throws
  {
    let rival = try Self.copy(Self.listener(port: port))
    let looks = saw(TakingLook(sockets: [door, rival], isIdle: false))
    #expect(looks.last == true && looks.count { $0 } == 1)
    #expect(services.journal.last(["lines-untaken"], of: "server")?.detail == "tcp-listen 127.0.0.1:\(port)")
    #expect(kept.deadline != nil && kept.isLookedAt("server"))
    program.parts(.leavingLines)
    kept.ended(program, keeps: true)
    #expect(!kept.hasLines(of: "server") && launches() == ["server"])
    let note = try #require(kept.untaken.healthNote(on: "server"))
    #expect(note.detail?.contains("127.0.0.1:\(port)") == true && note.cause == nil)
    kept.started(try testProgram("server", id: AppID(slot: 2, generation: 0)))
    #expect(kept.untaken.healthNote(on: "server")?.cause == "started")
    #expect(kept.deadline == nil)
    kept.started(try testProgram("server", id: AppID(slot: 3, generation: 0)))
    #expect(kept.untaken.healthNote(on: "server") == nil)
  }

  @Test func `one that waits for it takes it`() throws {
    #expect(!kept.saw(TakingLook(awaitedInodes: [door.identity.inode], sockets: [door]), at: program.id))
    #expect(!kept.isLookedAt("server"))
    #expect(services.journal.last(["lines-taken"], of: "server")?.detail == "tcp-listen 127.0.0.1:\(port)")
  }

  @Test func `one that has accepted a connection from it takes it, although it waits for that alone`() throws
  {
    let client = DescriptorBox(try Socket.connectNonBlocking(.loopback(port: port)))
    try Deadline().wait(door.descriptor.raw, .readable, for: "the connection")
    let accepted: LineCopy
    switch try Socket.accept(from: door.descriptor.raw) {
    case .some(let descriptor): accepted = try Self.copy(DescriptorBox(descriptor))
    case .none: throw NothingCame(description: "the connection was given up")
    }
    #expect(!kept.saw(TakingLook(sockets: [door, accepted]), at: program.id))
    #expect(!kept.isLookedAt("server"))
    withExtendedLifetime(client) {}
  }

  @Test func `one that somebody quits while it is looked at loses it, and is started no more`() throws {
    #expect(saw(TakingLook(sockets: [door])).last == true)
    program.parts(.forGood(restarts: false))
    kept.ended(program, keeps: false)
    #expect(!kept.hasLines(of: "server") && kept.deadline == nil)
  }

  @Test func `a command that crashes as soon as it has it is told of the same way`() throws {
    kept.ended(program, keeps: true)
    #expect(kept.untaken.healthNote(on: "server")?.detail?.contains("127.0.0.1:\(port)") == true)
    #expect(launches() == ["server"])
  }

  @Test func `of many programs the oldest is forgotten`() {
    var untaken = UntakenLines(capacity: 2)
    for name in ["a", "b", "a", "c"] { untaken.add(name, "a line") }
    #expect(["a", "b", "c"].map { untaken.healthNote(on: $0) != nil } == [true, false, true])
    untaken.started("a", withLines: true)
    #expect(untaken.healthNote(on: "a") == nil)
  }
}
