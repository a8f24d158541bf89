import LullSystem
import TestSupport
import Testing

@testable import LullPlayer

/// Streams without an end.
@Suite(.bounded) struct RadioTests {
  private func radio(_ options: String, seconds: Double = 3) throws -> (StreamServer, StreamListener) {
    let server = try StreamServer()
    try server.tone("a.mp3", .mp3, seconds: seconds)
    return (server, try StreamListener(server.url("radio/a.mp3?\(options)")))
  }

  @Test(arguments: ["", "&icy=1"])
  func `the titles are told, and are no part of the sound`(options: String) throws {
    let server = try StreamServer()
    try server.tone("a.ogg", .vorbis, seconds: 5)
    let listener = try StreamListener(
      server.url("radio/a.ogg?type=application/ogg&metaint=1024&burst=200000\(options)"))
    guard case .ready(let description) = try listener.open() else {
      Issue.record("\(listener.decoder.state)")
      return
    }
    #expect(description.tags.artist == "Artist")
    #expect(description.tags.title?.hasPrefix("Title; it's ") == true)
    #expect(description.stream?.isLive == true)
    #expect(description.stream?.station == "Test Radio")
    #expect(description.stream?.bitRate == 128_000)
    #expect(description.frames == nil)
    try listener.hear(48000 * 4)
    #expect(try server.log().count == 1)
    #expect(listener.samples == Array(try server.samples("a.ogg").prefix(48000 * 8)))
  }

  @Test func `a radio that ends the connection is connected to again`() throws {
    let (server, listener) = try radio("burst=2000000&cut=100000")
    _ = try listener.open()
    var reasons: [String] = []
    while try server.log().count < 3 {
      let before = listener.samples.count
      if try listener.read(48000) { break }
      if case .reconnecting(let reason)? = listener.decoder.description?.stream?.activity {
        reasons.append(reason)
      }
      if listener.samples.count == before { try listener.wake() }
    }
    #expect(reasons.first == "the server has ended the connection")
    #expect(try server.log().allSatisfy { $0.hasSuffix(" -") })
    #expect(listener.decoder.shortfall == nil)
  }

  @Test func `a sleeper is woken for many bytes at once`() throws {
    let (server, listener) = try radio("burst=160000&rate=320000")
    _ = try listener.open()
    try listener.hear(48000 * 3)
    let before = (listener.wakes, listener.samples.count)
    while listener.samples.count < before.1 + 48000 * 2 * 6 {
      let heard = listener.samples.count
      try #require(try !listener.read(48000 * 30, queued: 2), "\(listener.decoder.shortfall ?? "")")
      if listener.samples.count == heard { try listener.wake() }
    }
    #expect(try server.log().count == 1)
    // 6 s of sound come in 0.75 s, in some sixty segments.
    #expect(listener.wakes - before.0 < 20)
  }

  @Test func `a radio has no other place than now`() throws {
    let (server, listener) = try radio("burst=200000")
    _ = try listener.open()
    try listener.decoder.seek(to: 48000 * 1000)
    #expect(listener.decoder.frame == 48000 * 1000)
    try listener.hear(48000)
    #expect(listener.samples.count == 48000 * 2)
    #expect(try server.log().count == 1)
  }

  @Test func `a station that falls silent is connected to again`() throws {
    let server = try StreamServer()
    try server.tone("a.mp3", .mp3)
    let listener = try StreamListener(
      server.url("radio/a.mp3?burst=2000000&stall=60000"), silence: 300_000_000)
    _ = try listener.open()
    var reasons: Set<String> = []
    while try server.log().count < 3 {
      let before = listener.samples.count
      try #require(try !listener.read(48000), "\(listener.decoder.shortfall ?? "")")
      if case .reconnecting(let reason)? = listener.decoder.description?.stream?.activity {
        reasons.insert(reason)
      }
      if listener.samples.count == before { try listener.wake() }
    }
    #expect(reasons == ["the server is silent"])
  }

  @Test func `a server that never says anything fails after three tries`() throws {
    let server = try StreamServer()
    let listener = try StreamListener(server.url("silent"), silence: 100_000_000)
    #expect(try listener.open() == .failed(.unreadable("the server is silent")))
    #expect(try server.log().count == 3)
  }

  @Test func `one that has run dry is woken when there is enough to play on`() throws {
    let (server, listener) = try radio("burst=110000&rate=200000&stall=100000&pause=0.5")
    _ = try listener.open()
    while true {
      let before = listener.samples.count
      _ = try listener.read(48000, queued: 0)
      if listener.samples.count == before { break }
    }
    #expect(listener.decoder.description?.stream?.activity == .buffering)
    let (wakes, heard) = (listener.wakes, listener.samples.count)
    while listener.samples.count == heard {
      _ = try listener.read(48000 * 10, queued: 0)
      if listener.samples.count == heard { try listener.wake() }
    }
    // 4 s of sound; earlier, each segment of them woke the program.
    #expect(listener.samples.count - heard >= 48000 * 2 * 4)
    #expect(listener.wakes - wakes <= 6)
    #expect(listener.decoder.description?.stream?.activity == .playing)
    #expect(try server.log().count == 1)
  }
}
