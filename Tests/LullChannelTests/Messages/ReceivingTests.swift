import LullChannel
import LullSystem
import LullWire
import TestSupport
import Testing

@Suite(.bounded) struct ReceivingTests {
  @Test func `a line that comes in parts is told when it is whole`() throws {
    let ends = try Ends()
    #expect(ends.channel.receive(into: &ends.buffer) == .nothing)
    try ends.write("hel")
    #expect(ends.channel.receive(into: &ends.buffer) == .bytes(isAll: true))
    #expect(ends.channel.next() == nil)
    try ends.write("lo\nstatus\nwa")
    #expect(ends.hear() == ["hello", "status"])
    try ends.write("ke\n")
    #expect(ends.hear() == ["wake"])
  }

  @Test func `what is no message is told, and the channel goes on`() throws {
    let ends = try Ends()
    try ends.write("HELLO\nhello\n")
    #expect(ends.hear() == ["invalid", "hello"])
  }

  @Test func `no more than a line is read at once`() throws {
    let ends = try Ends(maximumLine: 64)
    try ends.write(String(repeating: "hello\n", count: 100))
    #expect(ends.channel.receive(into: &ends.buffer) == .bytes(isAll: false))
    #expect(ends.buffer.count == 64)
    while ends.channel.next() != nil {}
    // Four bytes of the next text line are here.
    _ = ends.channel.receive(into: &ends.buffer)
    #expect(ends.buffer.count == 60)
  }

  @Test func `a line without an end ends the channel, and says so`() throws {
    let ends = try Ends(maximumLine: 64)
    try ends.write(String(repeating: "x", count: 64))
    #expect(ends.hear() == ["tooLong"])
    #expect(ends.channel.inputEnd == .tooLong)
    #expect(ends.channel.receive(into: &ends.buffer) == .ended(.tooLong))
    #expect(ends.channel.inputEnd?.reply == Reply(.tooLong))
    // The peer is told before it is closed.
    #expect(ends.channel.tell(Message("error")))
    #expect(try ends.read().text == "error\n")
  }

  @Test func `a peer that went on after its last line finds an answer and the end`() throws {
    let ends = try Ends(maximumLine: 64)
    try ends.write(String(repeating: "x", count: 200))
    #expect(ends.hear() == ["tooLong"])
    ends.channel.tell(Message("error"))
    ends.channel.discard(into: &ends.buffer, reads: 8)
    ends.channel.close()
    #expect(try Socket.read(ends.peer.raw, into: &ends.buffer) == .bytes(6))
    #expect(try Socket.read(ends.peer.raw, into: &ends.buffer) == .endOfStream)
  }

  @Test func `what was sent before the end is told before the end`() throws {
    let ends = try Ends()
    try ends.write("hello\nhalf")
    ends.peer.close()
    #expect(ends.hear() == ["hello"])
    #expect(ends.hear() == ["hungUp"])
    #expect(ends.channel.inputEnd?.reply == nil)
  }

  @Test func `after the own finish nothing is read, and what is queued is sent`() throws {
    let ends = try Ends()
    try ends.write("hello\n")
    ends.channel.queue(Message("ok"))
    ends.channel.finish()
    #expect(ends.channel.receive(into: &ends.buffer) == .ended(.finished))
    #expect(!ends.channel.isDone)
    #expect(ends.channel.flush() == .complete)
    #expect(ends.channel.isDone)
    #expect(try ends.read().text == "ok\n")
  }
}

@Suite(.bounded) struct DescriptorTests {
  @Test func `a descriptor comes with its line`() throws {
    let ends = try Ends()
    let file = try Files.openNull()
    try ends.write("hello\n")
    try ends.write("ring\n", file.raw)
    try ends.write("doorbell\n")
    #expect(ends.hear() == ["hello", "ring+"])
    #expect(ends.hear() == ["doorbell"])
    #expect(ends.channel.descriptorCount == 0)
  }

  @Test func `a descriptor waits for the end of its line`() throws {
    let ends = try Ends()
    let file = try Files.openNull()
    try ends.write("ri", file.raw)
    #expect(ends.hear().isEmpty)
    #expect(ends.channel.descriptorCount == 1)
    try ends.write("ng\ndoorbell\n")
    #expect(ends.hear() == ["ring+", "doorbell"])
  }

  @Test func `two descriptors in one line are refused, and the channel goes on`() throws {
    let ends = try Ends()
    let file = try Files.openNull()
    try ends.write("ri", file.raw)
    try ends.write("ng\n", file.raw)
    #expect(ends.hear().isEmpty)
    #expect(ends.hear() == ["invalid"])
    #expect(ends.channel.descriptorCount == 0)
    try ends.write("hello\n")
    #expect(ends.hear() == ["hello"])
  }

  @Test func `unfinished lines never keep more than two descriptors`() throws {
    let ends = try Ends()
    let file = try Files.openNull()
    for _ in 0..<4 { try ends.write("x", file.raw) }
    #expect(ends.hear().isEmpty)
    #expect(ends.hear().isEmpty)
    #expect(ends.hear() == ["tooManyDescriptors"])
    #expect(ends.channel.descriptorCount == 2)
    #expect(ends.channel.inputEnd?.reply != nil)
    ends.channel.close()
    #expect(ends.channel.descriptorCount == 0)
  }

  @Test func `descriptors travel with their own lines, whatever waits around them`() throws {
    let ends = try Ends()
    ends.fill()
    let kept = [DescriptorBox(try Files.openNull()), DescriptorBox(try Files.openDirectory("/"))]
    ends.channel.queue(Message("before"))
    ends.channel.queue(Message("ring"), descriptor: kept[0])
    ends.channel.queue(Message("doorbell"), descriptor: kept[1])
    ends.channel.queue(Message("after"))
    #expect(ends.channel.descriptorCount == 2)
    let other = MessageChannel(ends.peer, overload: .dropPeer)
    var heard: [(String, FileIdentity?)] = []
    while heard.last?.0 != "after" {
      ends.channel.flush()
      while case .bytes = other.receive(into: &ends.buffer) {
        while case .message(let message, let descriptor) = other.next() {
          heard.append((message.verb, try descriptor.map { try FileIdentity.of($0.raw) }))
        }
      }
    }
    #expect(heard.suffix(4).map(\.0) == ["before", "ring", "doorbell", "after"])
    let files = try kept.map { try FileIdentity.of($0.raw) }
    #expect(heard.suffix(4).map(\.1) == [nil, files[0], files[1], nil])
    #expect(heard.dropLast(4).allSatisfy { $0 == ("item", nil) })
    #expect(ends.channel.descriptorCount == 0)
  }

  @Test func `a descriptor that its owner closed meanwhile is not replaced by another file`() throws {
    let ends = try Ends()
    let box = DescriptorBox(try Files.openNull())
    ends.channel.queue(Message("ring"), descriptor: box)
    box.close()
    let other = try Files.openDirectory("/")
    #expect(ends.channel.flush() == .complete)
    let (text, descriptors) = try ends.read()
    #expect(text == "ring\n")
    #expect(descriptors.isEmpty)
    withExtendedLifetime(other.raw) {}
  }
}
