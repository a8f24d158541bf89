import TestSupport
import Testing

@testable import LullDaemon
@testable import LullSystem

/// Whom a change of the network concerns.
@Suite(.bounded) struct NetworkChangeTests {
  private static let home = NetworkState.with("10.0.0.5", default: "10.0.0.1")
  private static let mobile = NetworkState.with("10.64.0.9", on: 3, default: "10.64.0.1")
  private static let call = line("10.0.0.5:4000", "192.0.2.7:5060")

  private static func line(_ local: String, _ peer: String? = nil, isListening: Bool = false) -> LineEnds {
    LineEnds(
      local: HostAddress(of: local) ?? .anywhereV4, peer: peer.flatMap { HostAddress(of: $0) },
      isListening: isListening)
  }

  private func concerns(
    _ line: LineEnds, from before: NetworkState, to after: NetworkState, hasResumed: Bool = false
  ) -> Bool {
    NetworkChange(before: before, after: after, hasResumed: hasResumed)
      .verdict(on: [line], isOffline: false, missed: []).isConcerned
  }

  @Test func `an address that is gone, and a way that is another one`() {
    #expect(concerns(Self.call, from: Self.home, to: Self.mobile))
    #expect(concerns(Self.call, from: Self.home, to: .with("10.0.0.5", default: "10.0.0.2")))
    #expect(concerns(Self.call, from: Self.home, to: .with("10.0.0.5")))
    #expect(!concerns(Self.call, from: Self.home, to: Self.home))
  }

  @Test func `another address, and a route to somewhere else, are nothing`() {
    let docker = Self.home.adding("172.17.0.1", on: 9, to: "172.17.0.0", bits: 16)
    #expect(!concerns(Self.call, from: Self.home, to: docker))
    #expect(!concerns(Self.call, from: docker, to: Self.home))
    #expect(!concerns(Self.call, from: Self.home, to: Self.home.adding("10.0.0.6", on: 2)))
  }

  @Test func `a route of a more exact prefix is another way`() {
    let tunnel = Self.home.adding("10.200.0.2", on: 7, to: "192.0.2.0", bits: 24)
    #expect(concerns(Self.call, from: Self.home, to: tunnel))
    #expect(!concerns(Self.line("10.0.0.5:1", "198.51.100.1:1"), from: Self.home, to: tunnel))
  }

  @Test func `a socket without a peer goes by the way out`() {
    let sip = Self.line("0.0.0.0:5060")
    #expect(concerns(sip, from: Self.home, to: Self.mobile))
    #expect(
      !concerns(sip, from: Self.home, to: Self.home.adding("172.17.0.1", on: 9, to: "172.17.0.0", bits: 16)))
    #expect(concerns(Self.line("[::]:5060"), from: Self.home, to: Self.mobile))
    #expect(!concerns(Self.line("0.0.0.0:80", isListening: true), from: Self.home, to: Self.mobile))
    #expect(concerns(Self.line("10.0.0.5:80", isListening: true), from: Self.home, to: Self.mobile))
  }

  @Test func `a connection of an address that came in between is gone with it, or stays`() {
    let passing: Set = [Self.call.local]
    let change = NetworkChange(
      before: Self.mobile, after: NetworkState(), passing: passing, hasResumed: false)
    #expect(change.verdict(on: [Self.call], isOffline: false, missed: []).isConcerned)
    #expect(!concerns(Self.call, from: NetworkState(), to: Self.home))
    #expect(concerns(Self.call, from: NetworkState(), to: .with("10.0.0.5")))
    #expect(!concerns(Self.line("10.0.0.5:80", isListening: true), from: NetworkState(), to: Self.home))
  }

  @Test func `a loss may be over soon, and a change from one way to another is none`() {
    func isLoss(_ before: NetworkState, _ after: NetworkState) -> Bool {
      NetworkChange(before: before, after: after, hasResumed: false).isLoss
    }
    #expect(isLoss(Self.home, .with("10.0.0.5")))
    #expect(isLoss(Self.home, NetworkState()))
    #expect(!isLoss(Self.home, Self.mobile))
    #expect(!isLoss(Self.home.adding("172.17.0.1", on: 9, to: "172.17.0.0", bits: 16), Self.home))
    #expect(!isLoss(NetworkState(), Self.home))
  }

  @Test func `another way out is news for every program, a container is none`() {
    func isNews(_ before: NetworkState, _ after: NetworkState) -> Bool {
      NetworkChange(before: before, after: after, hasResumed: false).changesWayOut
    }
    #expect(isNews(Self.home, Self.mobile) && isNews(Self.home, NetworkState()))
    #expect(!isNews(Self.home, Self.home.adding("172.17.0.1", on: 9, to: "172.17.0.0", bits: 16)))
  }

  @Test func `a line of another namespace is nothing`() {
    #expect(!concerns(Self.line("192.168.7.7:1", "192.0.2.7:5060"), from: Self.home, to: Self.mobile))
  }

  @Test func `after a sleep of the machine every connection may be gone`() {
    #expect(concerns(Self.call, from: Self.home, to: Self.home, hasResumed: true))
    let none = NetworkChange(before: Self.home, after: Self.home, hasResumed: true)
    #expect(none.verdict(on: [], isOffline: true, missed: []).isConcerned)
    #expect(!none.verdict(on: [], isOffline: false, missed: []).isConcerned)
  }

  @Test func `who has lost its server hears of the way back, and of a way out`() throws {
    let gone = NetworkChange(before: Self.home, after: .with("10.0.0.5"), hasResumed: false)
    let lost = gone.verdict(on: [Self.call], isOffline: false, missed: []).lost
    #expect(lost == [try #require(Self.call.peer)])
    let back = NetworkChange(before: gone.after, after: Self.home, hasResumed: false)
    #expect(back.verdict(on: [], isOffline: true, missed: lost).isConcerned)
    #expect(back.verdict(on: [], isOffline: true, missed: []).isConcerned)
    let elsewhere = gone.after.adding("172.17.0.1", on: 9, to: "172.17.0.0", bits: 16)
    let other = NetworkChange(before: gone.after, after: elsewhere, hasResumed: false)
    #expect(!other.verdict(on: [], isOffline: true, missed: lost).isConcerned)
    #expect(!gone.verdict(on: [], isOffline: true, missed: lost).isConcerned)
  }
}

extension NetworkState {
  /// A host with one address, its network, and a default route.
  fileprivate static func with(_ address: String, on link: Int32 = 2, default gateway: String? = nil) -> Self
  {
    let own = NetworkState().adding(address, on: link, to: address, bits: 24)
    guard let gateway else { return own }
    return own.adding(nil, on: link, to: "0.0.0.0", bits: 0, via: gateway)
  }

  fileprivate func adding(
    _ address: String?, on link: Int32, to destination: String? = nil, bits: Int = 32,
    via gateway: String? = nil
  ) -> NetworkState {
    func host(_ text: String?) -> HostAddress? { text.flatMap { HostAddress(of: $0 + ":0") } }
    let own = host(address).map { [Address(host: $0, interface: link)] } ?? []
    let next = host(gateway).map { [$0.bytes] } ?? []
    let step = Step(table: 254, interface: link, next: next, source: nil, isOpen: true)
    let new =
      host(destination).map { [Route(destination: $0.bytes, bits: bits, metric: 0, step: step)] } ?? []
    return NetworkState(addresses: addresses + own, routes: routes + new)
  }
}
