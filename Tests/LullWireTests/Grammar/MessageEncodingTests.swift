import Fuzzing
import TestSupport
import Testing

@testable import LullWire

func line(_ message: Message) throws -> String {
  String(decoding: try message.encoded(), as: UTF8.self)
}

@Suite(.bounded) struct MessageEncodingTests {
  @Test func `a message is written with the fewest quotes`() throws {
    let message = Message("register").adding(.name, "softphone").adding(.title, "New call")
      .adding(.text, "").adding(.body, "a\"\\\n\r\t\u{1B}é").adding(flag: .follow)
    #expect(
      try line(message)
        == #"register name=softphone title="New call" text="" body="a\"\\\n\r\t\u001Bé" follow"# + "\n")
  }

  @Test func `typed fields are written as the protocol has them`() throws {
    let message = Message(item: .keepalive)
      .adding(.pid, 42 as Int32).adding(.wakes, -1).adding(.clockRate, 600.0).adding(.version, 1.5)
      .adding(.handover, true).adding(.all, false).adding(flag: .overBudget, if: false)
      .adding(.timeout, Interval.seconds(600)).adding(.agoSeconds, Interval(nanoseconds: 1_050_000_001))
      .adding(.dueInSeconds, Interval(nanoseconds: -5)).adding(.pids, list: ["1", "2"]).adding(
        .modes, list: []
      )
      .adding(.offload, list: ([.line, .udpKeepalive] as Offload).words)
      .adding(.launch, LaunchTarget.background.rawValue)
      .adding(.name, nil as String?).adding(.last, nil as Int?).adding(.at, nil as Interval?)
    #expect(
      try line(message)
        == "item kind=keepalive pid=42 wakes=-1 clockRate=600 version=1.5 handover=true all=false "
        + "timeout=600 agoSeconds=1.050000001 dueInSeconds=0 pids=1,2 modes=\"\" offload=line,udp-keepalive "
        + "launch=background\n")
    #expect(message.itemKind == .keepalive)
  }

  @Test func `a notice is written with its name after event`() throws {
    #expect(try line(Message(event: .wake).adding(.ticket, 3)) == "event wake ticket=3\n")
  }

  @Test func `a key that is added again gets the new value in its old place`() throws {
    let message = Message("hello").adding(.name, "a").adding(.pid, 1).adding(.name, "b")
    #expect(try line(message) == "hello name=b pid=1\n")
  }

  @Test func `a line of 4096 bytes can be written, one of 4097 cannot`() throws {
    let overhead = "v k=\n".utf8.count
    let fits = Message("v", Field("k", String(repeating: "x", count: 4096 - overhead)))
    let bytes = try fits.encoded()
    #expect(bytes.count == 4096)
    #expect(try Message.parse(bytes[...]) == fits)
    let long = Message("v", Field("k", String(repeating: "x", count: 4097 - overhead)))
    var buffer: [UInt8] = [1]
    #expect(throws: WireError.tooLong) { try long.encode(into: &buffer) }
    #expect(buffer == [1])
    let line = Array(("v k=" + String(repeating: "x", count: 4097 - overhead)).utf8)
    #expect(throws: WireError.tooLong) { try Message.parse(line[...]) }
  }

  @Test(arguments: ["x", "é", "€", "🙂", "\"", "\u{1}", "a b"], 0..<8)
  func `a value that is too long is cut between two characters`(unit: String, shift: Int) throws {
    let body = String(repeating: "y", count: shift) + String(repeating: unit, count: 5000)
    let message = Message(.error).adding(.code, "busy").adding(.message, body).adding(.name, "short")
    var bytes: [UInt8] = [9]
    message.encodeTruncating(into: &bytes)
    #expect(bytes.count - 1 <= 4096 && bytes.count - 1 > 4096 - 16)
    let parsed = try Message.parse(bytes[1...])
    let text = try parsed.string(.message)
    #expect(text.hasSuffix("...") && body.hasPrefix(text.dropLast(3)))
    #expect(parsed[.code] == "busy" && parsed[.name] == "short")
  }

  @Test func `the longest values are cut first, and every message becomes short enough`() throws {
    var message = Message("v")
    for index in 0..<32 {
      let value = String(repeating: "\u{1}", count: 100 + 10 * index)
      message.append(Field("k\(index)" + String(repeating: "k", count: 29), value))
    }
    var bytes: [UInt8] = []
    message.encodeTruncating(into: &bytes)
    #expect(bytes.count <= 4096)
    let parsed = try Message.parse(bytes[...])
    #expect(parsed.fields.map(\.key) == message.fields.map(\.key))
    #expect(parsed.fields.first == message.fields.first)
    #expect(parsed.fields.last?.value == "...")
  }

  @Test func `a short message is not changed by truncation`() throws {
    let message = Message(.ok).adding(.count, 3)
    var bytes: [UInt8] = []
    message.encodeTruncating(into: &bytes)
    #expect(bytes == (try message.encoded()))
  }

  @Test func `every message is read back as it was`() throws {
    let seed = SplitMix64.seed(for: "round trip")
    var generator = SplitMix64(seed: seed)
    var buffer: [UInt8] = []
    for _ in 0..<5000 {
      let message = generator.message()
      buffer.removeAll(keepingCapacity: true)
      guard (try? message.encode(into: &buffer)) != nil else { continue }
      try #require(try Message.parse(buffer[...]) == message, "LULL_SEED=\(seed)")
    }
  }
}
