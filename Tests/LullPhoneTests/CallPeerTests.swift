import LullSystem
import TestSupport
import Testing

@testable import lull_phone

/// Whose packets belong to a call; times in milliseconds since it began.
@Suite(.bounded) struct CallPeerTests {
  private let signalled: SocketAddress
  private let neighbour: SocketAddress
  private let stranger: SocketAddress
  private var peer: CallPeer

  init() throws {
    signalled = try #require(SocketAddress(numeric: "192.0.2.1:5004"))
    neighbour = try #require(SocketAddress(numeric: "192.0.2.1:6000"))
    stranger = try #require(SocketAddress(numeric: "198.51.100.7:5004"))
    peer = CallPeer(signalled, at: 0)
  }

  /// Sends sound; nil when the packet is not even looked at.
  private mutating func speak(_ sender: SocketAddress, at milliseconds: Int64) -> CallPeer.Hearing? {
    let now = milliseconds * 1_000_000
    return peer.maySpeak(from: sender, at: now) ? peer.noteSound(from: sender, at: now) : nil
  }

  /// Sends sound every 20 ms; the last answer.
  private mutating func speak(_ sender: SocketAddress, from: Int64, to: Int64) -> CallPeer.Hearing? {
    var last: CallPeer.Hearing?
    for moment in stride(from: from, through: to, by: 20) { last = speak(sender, at: moment) }
    return last
  }

  private mutating func report(_ sender: String, _ port: MediaSocket.Port, at milliseconds: Int64) throws
    -> Bool
  {
    let (sender, now) = (try #require(SocketAddress(numeric: sender)), milliseconds * 1_000_000)
    guard peer.mayReport(from: sender, on: port) else { return false }
    peer.noteReport(from: sender, on: port, at: now)
    return true
  }

  @Test mutating func `The signalled address is heard at once, and nobody else afterwards`() {
    #expect(speak(signalled, at: 0) == .learnt)
    #expect(speak(signalled, at: 20) == .heard)
    #expect(speak(stranger, at: 40) == nil && speak(neighbour, at: 40) == nil)
    #expect(peer.address == signalled)
  }

  @Test mutating func `A stranger gets nothing while the signalled address may still speak`() {
    #expect(speak(stranger, from: 0, to: 980) == .waiting)
    #expect(peer.address == signalled && !peer.hasSpoken)
    #expect(speak(signalled, at: 990) == .learnt)
    #expect(speak(stranger, from: 1000, to: 6000) == nil)
    #expect(peer.address == signalled)
  }

  @Test mutating func `A peer behind a translator of addresses is learnt after a second`() {
    #expect(speak(stranger, from: 200, to: 980) == .waiting)
    #expect(speak(stranger, at: 1000) == .learnt)
    #expect(speak(stranger, at: 20_000) == .heard)
    #expect(peer.address == stranger)
  }

  @Test mutating func `A single packet is not enough to be learnt`() {
    for moment: Int64 in [1000, 2000, 3000, 4000] { #expect(speak(stranger, at: moment) == .waiting) }
    #expect(peer.address == signalled)
  }

  @Test mutating func `Within the first seconds the signalled address takes its place back`() {
    #expect(speak(stranger, from: 0, to: 1000) == .learnt)
    #expect(speak(signalled, at: 4000) == .learnt)
    #expect(peer.address == signalled)
    #expect(speak(stranger, at: 4020) == nil)
  }

  @Test mutating func `After the first seconds nobody is learnt, and the signalled address is heard still`() {
    #expect(speak(stranger, from: 5000, to: 9000) == nil)
    #expect(speak(signalled, at: 9000) == .learnt)
  }

  @Test mutating func `Another port of the signalled host is heard, and changes nothing for what is sent`() {
    #expect(speak(neighbour, from: 0, to: 1000) == .learnt)
    #expect(peer.address == signalled)
    #expect(speak(stranger, at: 1020) == nil)
  }

  @Test mutating func `Many senders do not keep the one that goes on from being learnt`() throws {
    for moment in stride(from: Int64(0), through: 1100, by: 20) {
      for port in 1...20 {
        _ = speak(try #require(SocketAddress(numeric: "203.0.113.1:\(Int(moment) * 20 + port)")), at: moment)
      }
      _ = speak(stranger, at: moment)
    }
    #expect(peer.address == stranger)
  }

  @Test mutating func `A call without a signalled address is that of its first sender`() {
    peer = CallPeer(nil, at: 0)
    #expect(speak(stranger, at: 60_000) == .learnt)
    #expect(peer.address == stranger)
    #expect(speak(signalled, at: 60_020) == nil)
  }

  @Test mutating func `Reports come with the sound, or from the port next to it`() throws {
    #expect(try !report("192.0.2.1:5006", .reports, at: 0))
    #expect(try !report("198.51.100.7:5005", .reports, at: 0))
    #expect(try !report("198.51.100.7:5004", .sound, at: 0))
    #expect(try report("192.0.2.1:5004", .sound, at: 0))
    #expect(peer.reportAddress == nil)
    #expect(try report("192.0.2.1:5005", .reports, at: 0))
    #expect(peer.reportAddress == SocketAddress(numeric: "192.0.2.1:5005"))
    #expect(try !report("192.0.2.1:6001", .reports, at: 0))
  }

  @Test mutating func `A peer that only reports is there, and keeps strangers out`() throws {
    #expect(try report("192.0.2.1:5005", .reports, at: 500))
    #expect(speak(stranger, from: 520, to: 4000) == nil)
    #expect(speak(neighbour, from: 520, to: 4000) == .heard)
    #expect(!peer.isGone(at: 30_000_000_000) && peer.isGone(at: 31_000_000_000))
  }

  @Test mutating func `A report of the signalled host takes its place back`() throws {
    #expect(speak(stranger, from: 0, to: 1000) == .learnt)
    #expect(try report("192.0.2.1:5005", .reports, at: 2000))
    #expect(peer.address == signalled)
    #expect(speak(stranger, at: 2020) == nil)
  }
}
