import LullChannel
import LullEngine
import LullGuard
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// The control socket by itself.
@Suite(.bounded) struct ControlServerTests {
  private let room: ControlRoom
  private var control: ControlServer { room.control }

  init() throws { room = try ControlRoom() }

  @Test func `what a client asks comes in order, and its answer goes back`() throws {
    let (peer, client) = try room.client()
    try peer.say("hello\nstatus\n")
    #expect(room.requests(from: client) == ["hello", "status"])
    control.send(Message(.ok).adding(.name, "x"), to: client)
    room.flush()
    #expect(try peer.response().last[.name] == "x")
  }

  @Test func `a line that is no message is answered, and the next one is heard`() throws {
    let (peer, client) = try room.client()
    try peer.say("hello a=\"\nhello\n")
    #expect(room.requests(from: client) == ["hello"])
    room.flush()
    #expect(try peer.response().code != nil)
  }

  @Test func `while a reply is to come nothing more is heard, and then it is`() throws {
    let (peer, client) = try room.client()
    control.wait(client)
    try peer.say("hello\n")
    #expect(room.requests(from: client).isEmpty)
    #expect(control.readsDue(of: client, .readable) == nil)
    // A hang-up would be told again and again.
    #expect(control.readsDue(of: client, .hangUp) == nil)
    #expect(!client.channel.isWatched)
    control.resume(client)
    room.flush()
    #expect(client.channel.isWatched)
    #expect(room.requests(from: client) == ["hello"])
  }

  @Test func `a connection that ends is told once, with the program that it spoke for`() throws {
    let id = AppID(slot: 3, generation: 1)
    let (peer, client) = try room.client()
    control.programs.begin(id)
    control.programs.enter(client, id)
    control.programs.setSpeaker(of: id, client)
    peer.close()
    #expect(room.requests(from: client).isEmpty)
    let departure = try #require(control.nextDeparture())
    #expect(departure.client === client)
    #expect(departure.program == id)
    #expect(departure.wasSpeaker)
    #expect(control.programs.speaker(of: id) == nil)
    #expect(control.programs.connections(of: id).isEmpty)
    #expect(control.nextDeparture() == nil)
    #expect(room.clients().isEmpty)
    #expect(room.services.reactor.count == 1)
  }

  @Test(arguments: [false, true])
  func `the end of the last terminal abandons a program that was not detached`(isDetached: Bool) throws {
    let id = AppID(slot: 0, generation: 0)
    control.programs.begin(id)
    control.programs.setDetached(id, isDetached)
    let watchers = try [room.client(), room.client()]
    for (_, client) in watchers { control.programs.watch(id, client) }
    for (number, (peer, client)) in watchers.enumerated() {
      peer.close()
      _ = room.requests(from: client)
      let isLast = number == 1
      #expect(control.nextDeparture()?.abandoned == (isLast && !isDetached ? [id] : []))
    }
  }

  @Test func `a client that takes too little is dropped at the end of the turn`() throws {
    let (_, client) = try room.client()
    let notice = Message(event: .entry).adding(.text, String(repeating: "x", count: 4000))
    for _ in 0..<300 { control.send(notice, to: client) }
    #expect(client.isOverrun)
    #expect(room.clients().count == 1)
    room.flush()
    #expect(room.clients().isEmpty)
  }

  @Test func `an answer of many records is made while the client takes it`() throws {
    let (peer, client) = try room.client()
    var made = 0
    let records: Records = { part, step in
      guard case .entries(let numbers, let filter) = part, !numbers.isEmpty else { return ([], []) }
      made += min(step, numbers.count)
      let item = Message(item: .entry).adding(.text, String(repeating: "x", count: 1000))
      return (numbers.prefix(step).map { _ in item }, [.entries(numbers.dropFirst(step), filter)])
    }
    control.answer(Report([.entries(0..<2000, Journal.Filter())]), to: client, records)
    #expect(made < 100)
    room.flush(records)
    #expect(made < 1000)
    #expect(client.isAsking)
    var taken = 0
    var buffer = ReceiveBuffer(capacity: 1 << 16)
    while client.isAsking {
      try ready(peer.raw, .readable, "the answer does not come to its end")
      if case .bytes(let count, _) = try UnixSocket.receive(into: &buffer, from: peer.raw) { taken += count }
      control.flush(client, records)
    }
    #expect(made == 2000)
    #expect(taken > 1_000_000)
  }

  @Test func `only those who follow are told`() throws {
    let (follower, client) = try room.client()
    _ = try room.client()
    control.follow(client, followed: .log, follows: true)
    control.broadcast(Message(event: .entry).adding(.what, "woke"), to: .log)
    control.broadcast(Message(event: .withdrawn), to: .notifications)
    room.flush()
    #expect(try follower.notice(.entry)[.what] == "woke")
    #expect(room.clients().count { $0.isAsking } == 0)
  }

  @Test func `one process has its share of the connections`() throws {
    let room = try ControlRoom { $0.maximumConnections = 2 }
    let peers = try [room.connect(), room.connect(), room.connect()]
    room.control.accept { _ in .operator }
    #expect(room.clients().count == 2)
    #expect(try peers[2].response().code == .tooManyClients)
  }

  private func ring(_ descriptor: DescriptorBox, _ staged: inout Staged) -> Reply {
    staged.ring = descriptor
    return .ok
  }

  @Test func `what is handed over is taken once, and a connection to the daemon is not`() throws {
    let (peer, client) = try room.client()
    let null = DescriptorBox(try Files.openNull())
    #expect(control.stage(client, descriptor: null, ring) == .ok)
    #expect(control.stage(client, descriptor: null) { $1.keep($0, arguments: 1) } != .ok)
    #expect(control.stage(client, descriptor: nil) { _, _ in .ok } != .ok)
    let own = DescriptorBox(try Descriptor.duplicating(peer.raw))
    #expect(control.stage(client, descriptor: own, ring) != .ok)
    #expect(control.deadline != nil)
    #expect(control.staging.take(client).ring === null)
    #expect(control.staging.take(client).isEmpty)
    #expect(control.deadline == nil)
  }

  @Test func `what is handed over and not used is dropped in time`() throws {
    let (_, client) = try room.client()
    #expect(control.stage(client, descriptor: DescriptorBox(try Files.openNull()), ring) == .ok)
    let end = try #require(control.deadline)
    control.timePassed(now: end - 1)
    #expect(!client.staged.isEmpty)
    control.timePassed(now: end)
    #expect(client.staged.isEmpty)
  }
}
