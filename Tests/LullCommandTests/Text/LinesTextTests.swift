import LullWire
import TestSupport
import Testing

@testable import lull_command

/// `lull lines` where there is little room.
@Suite(.bounded) struct LinesTextTests {
  private static let fourth = "192.168.100.101:50000", fourthPeer = "198.51.100.212:10000"
  private static let sixth = "[2001:db8:85a3::8a2e:370:7334]:50000"
  private static let longest = "[2001:db8:ffff:ffff:ffff:ffff:ffff:ffff]:65535"

  private func text(_ items: [String], columns: Int?) throws -> String {
    let lines = try Samples.messages(items).records(LineItem.self)
    let text = LinesText.text(lines, Style(isColoured: false, columns: columns))
    for line in text.split(separator: "\n") { #expect(line.count <= columns ?? Int.max, "\(text)") }
    return text
  }

  private func item(_ local: String, _ peer: String, kind: String = "tcp", rest: String = "") -> String {
    "item kind=line program=phone id=1 line=\(kind) local=\(local) peer=\(peer) unread=4321 \(rest)"
  }

  private static let kept = "name=server kept since=0"
  private static let held = "offload=line,crlf answered=12 pid=4194303 fd=1048576"

  @Test(arguments: [kept, held, "\(kept) \(held)", "disregarded \(held)"])
  func `80 columns have both addresses whole and what is unread`(rest: String) throws {
    let items = [
      item(Self.fourth, Self.fourthPeer, rest: rest), item(Self.fourth, "\"\"", kind: "tcp-listen"),
    ]
    let text = try text(items, columns: 80)
    for word in ["phone", Self.fourth, Self.fourthPeer, "UNREAD", "4321"] {
      #expect(text.contains(word), "\(text)")
    }
  }

  @Test func `80 columns say that a line is kept`() throws {
    #expect(try text([item(Self.fourth, Self.fourthPeer, rest: Self.kept)], columns: 80).contains(" kept\n"))
  }

  @Test(arguments: [(sixth, 80), (sixth, 60), (fourthPeer, 50), (longest, 80)])
  func `where both do not fit the peer is whole, and the own address of a line without one`(
    peer: String, columns: Int
  ) throws {
    let items = [item(Self.longest, peer, rest: Self.kept), item(Self.fourth, "\"\"", kind: "tcp-listen")]
    let text = try text(items, columns: columns)
    for word in ["phone", "ADDRESS", peer, Self.fourth, "UNREAD", "4321"] {
      #expect(text.contains(word), "\(text)")
    }
    #expect(!text.contains("..."))
  }

  @Test func `the status has the addresses of kept lines whole`() throws {
    let lines = try Samples.messages([item(Self.fourth, Self.fourthPeer, rest: Self.kept)])
      .records(LineItem.self)
    let text = EndedText.keptTable(lines, Style(isColoured: false, columns: 60))
    #expect(text.contains("  \(Self.fourth)  \(Self.fourthPeer)\n"), "\(text)")
  }

  @Test func `without a limit nothing is cut`() throws {
    let items = [item(Self.longest, Self.longest, rest: "\(Self.kept) \(Self.held)")]
    let text = try text(items, columns: nil)
    #expect(text.contains("  \(Self.longest)  \(Self.longest)    4321  line,crlf"), "\(text)")
    #expect(text.contains("  kept since "))
  }
}
