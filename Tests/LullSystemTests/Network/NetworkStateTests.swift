import TestSupport
import Testing

@testable import LullSystem

@Suite(.bounded) struct NetworkStateTests {
  @Test func `this machine's loopback is there, and reading again finds the same`() throws {
    let loopback = try #require(HostAddress(of: "127.0.0.1:0"))
    let state = try NetworkState.read()
    #expect(state.has(loopback))
    #expect(try NetworkState.read().addresses == state.addresses)
    #expect(try NetworkNews().take() == NetworkNews.Content())
  }

  @Test func `addresses are read from text, a mapped one as IPv4`() throws {
    let address = try #require(HostAddress(of: "[::ffff:10.1.2.3]:80"))
    #expect(address == HostAddress(of: "10.1.2.3:1"))
    #expect(HostAddress(of: "0.0.0.0:1")?.isUnspecified == true)
    #expect(HostAddress(of: "[::1]:1")?.isLoopback == true)
    #expect(HostAddress(of: "[2001:db8::1]:1")?.isLoopback == false)
    #expect(HostAddress(of: "unnamed") == nil)
    #expect(HostAddress(bytes: [1, 2, 3]) == nil)
  }

  @Test(arguments: [(0, true), (8, true), (12, true), (13, false), (32, false), (33, false)])
  func `a prefix counts bits`(bits: Int, isInside: Bool) throws {
    let address = try #require(HostAddress(of: "10.16.0.1:1"))
    #expect(address.matches([10, 24, 0, 0], bits: bits) == isInside)
  }

  @Test func `the longest prefix wins, then the least metric, and a refusing route is no way`() throws {
    let (far, near) = (
      try #require(HostAddress(of: "192.0.2.1:1")), try #require(HostAddress(of: "10.0.0.9:1"))
    )
    func route(_ destination: [UInt8], _ bits: Int, metric: UInt32 = 0, link: Int32, isOpen: Bool = true)
      -> NetworkState.Route
    {
      .init(
        destination: destination, bits: bits, metric: metric,
        step: .init(table: 254, interface: link, next: [], source: nil, isOpen: isOpen))
    }
    let state = NetworkState(
      addresses: [],
      routes: [
        route([0, 0, 0, 0], 0, metric: 600, link: 3), route([0, 0, 0, 0], 0, metric: 100, link: 2),
        route([10, 0, 0, 0], 24, link: 4), route([10, 0, 0, 9], 32, link: 5, isOpen: false),
      ])
    #expect(state.ways(to: far).map(\.interface) == [2])
    #expect(state.ways(to: near).isEmpty)
    #expect(state.ways(to: .anywhereV6).isEmpty)
  }

  @Test func `a message that is cut off anywhere is read to there`() {
    let attribute = NetlinkBytes().adding(UInt16(8)).adding(UInt16(1)).adding(UInt32(0x0100_007F))
    let message = NetlinkBytes().adding(UInt32(32)).adding(NetlinkMessage.newAddress).adding(zeros: 10)
      .adding(UInt32(2)).adding(UInt32(7))
    let whole = message.bytes + attribute.bytes
    let found = NetlinkMessages(whole).compactMap { NetworkState.address($0) }
    #expect(found.map(\.interface) == [7])
    #expect(NetworkNews.Content(whole).addresses == Set(found.map(\.host)))
    #expect(found.map(\.host) == [HostAddress(of: "127.0.0.1:1")])
    for count in 0..<whole.count { #expect(Array(NetlinkMessages(Array(whole.prefix(count)))).isEmpty) }
  }

  @Test func `a scan of a radio link is no change`() {
    let head = NetlinkBytes().adding(UInt32(36)).adding(NetlinkMessage.newLink).adding(zeros: 26)
    let scan = head.adding(UInt16(4)).adding(UInt16(11))
    #expect(!NetworkNews.Content(scan.bytes).hasChanged)
    #expect(NetworkNews.Content(head.adding(UInt16(4)).adding(UInt16(3)).bytes).hasChanged)
    #expect(!NetworkNews.Content([]).hasChanged)
  }
}
