import Glibc
import LullChannel
import LullSystem
import LullWire
import TestSupport
import Testing

@Suite(.bounded) struct SendingTests {
  @Test func `what is told is sent at once, and what is queued with the next flush`() throws {
    let ends = try Ends()
    ends.channel.queue(Message("ok"))
    #expect(try ends.read().text.isEmpty)
    ends.channel.tell(Message("hello"))
    #expect(try ends.read().text == "ok\nhello\n")
    #expect(ends.channel.isDone)
  }

  @Test func `a descriptor that is lent is sent without one to spare`() async {
    await #expect(processExitsWith: .success) {
      let ends = try Ends()
      var all: [DescriptorBox] = []
      while let more = try? Files.openNull() { all.append(DescriptorBox(more)) }
      #expect(try ends.channel.send(line: Array("hold\n".utf8), borrowing: all[0].raw) == .complete)
      all.removeAll()
      let (text, descriptors) = try ends.read()
      #expect(text == "hold\n" && descriptors.count == 1)
    }
  }

  @Test func `a descriptor that is lent may be closed while its line waits`() throws {
    let ends = try Ends()
    ends.fill()
    let lent = DescriptorBox(try Files.openNull())
    #expect(try ends.channel.send(line: Array("hold\n".utf8), borrowing: lent.raw) == .waiting)
    lent.close()
    var (text, count) = ("", 0)
    while !ends.channel.isDone {
      let more = try ends.read()
      (text, count) = (text + more.text, count + more.descriptors.count)
      ends.channel.handle(.writable)
    }
    let more = try ends.read()
    #expect((text + more.text).hasSuffix("hold\n") && count + more.descriptors.count == 1)
  }

  @Test func `a message is shortened to the limit of a line`() throws {
    let ends = try Ends(maximumLine: 64)
    ends.channel.tell(Message("error", Field("message", String(repeating: "x", count: 100))))
    let text = try ends.read().text
    #expect(text.utf8.count <= 64)
    #expect(text.hasSuffix("...\"\n") || text.hasSuffix("...\n"))
  }

  @Test func `a full socket is noted once, and its room ends the wait`() throws {
    let ends = try Ends()
    ends.fill()
    let since = try #require(ends.channel.stalledSince)
    ends.channel.tell(Message("more"))
    #expect(ends.channel.flush() == .waiting)
    #expect(ends.channel.stalledSince == since)
    var text = ""
    while !ends.channel.isDone {
      text += try ends.read().text
      ends.channel.handle(.writable)
    }
    text += try ends.read().text
    #expect(ends.channel.stalledSince == nil)
    #expect(text.hasSuffix("more\n"))
    #expect(text.split(separator: "\n").dropLast().allSatisfy { $0.utf8.count == 1010 })
  }

  @Test func `a peer that has gone is told nothing more, and what it said before is heard`() throws {
    let ends = try Ends()
    ends.fill()
    try ends.write("hello\n")
    ends.peer.close()
    // A child of another test may hold the socket until its exec.
    try eventually("the end of the peer was not seen") { ends.channel.flush() == .ended(.hungUp) }
    #expect(ends.channel.queuedBytes == 0)
    #expect(!ends.channel.queue(Message("ok")))
    #expect(ends.channel.inputEnd == nil)
    #expect(ends.hear() == ["hello"])
    #expect(ends.hear() == ["hungUp"])
  }

  @Test func `what waits in several channels is counted together, and given back`() throws {
    let total = OutputTotal(plenty: 10_000, maximum: 20_000)
    let (first, second) = (try Ends(total: total), try Ends(total: total))
    for ends in [first, second] {
      for _ in 0..<6 { ends.channel.queue(Ends.long) }
    }
    #expect(total.bytes == first.channel.queuedBytes + second.channel.queuedBytes)
    #expect(total.isScarce)
    #expect(total.slice == 1 << 10)
    first.channel.overrun()
    #expect(total.bytes == second.channel.queuedBytes)
    #expect(total.slice == 1 << 14)
    second.channel.flush()
    #expect(total.bytes == 0)
  }
}

@Suite(.bounded) struct OverloadTests {
  @Test func `a peer that never reads is dropped at the bound`() throws {
    let ends = try Ends(.dropPeer, maximumOutput: 10_000)
    ends.fill()
    while ends.channel.queue(Ends.long) { #expect(ends.channel.queuedBytes <= 10_000) }
    #expect(ends.channel.outputEnd == .overrun)
    #expect(ends.channel.inputEnd == .overrun)
    #expect(ends.channel.queuedBytes == 0)
    try ends.write("hello\n")
    #expect(ends.hear() == ["overrun"])
    #expect(!ends.channel.queue(Message("ok")))
    #expect(ends.channel.flush() == .ended(.overrun))
  }

  @Test func `a peer that asks for more than it takes is held up, and goes on where it was`() throws {
    let ends = try Ends(.holdUpRequests)
    ends.fill()
    try ends.write("first\nsecond\n")
    _ = ends.channel.receive(into: &ends.buffer)
    while !ends.channel.isBusy { ends.channel.queue(Ends.long) }
    #expect(ends.channel.next() == nil)
    #expect(ends.channel.isHeldUp)
    #expect(ends.channel.receive(into: &ends.buffer) == .nothing)
    #expect(!ends.channel.resume())
    #expect(ends.channel.interest == .writable)
    while ends.channel.isBusy {
      _ = try ends.read()
      ends.channel.handle(.writable)
    }
    #expect(ends.channel.next() == nil)
    #expect(ends.channel.resume())
    #expect(ends.hear() == ["first", "second"])
    #expect(ends.channel.interest.contains(.readable))
  }

  @Test func `a peer is held up while the rest of its answer is still to be queued`() throws {
    let ends = try Ends(.holdUpRequests)
    try ends.write("first\nsecond\n")
    #expect(ends.channel.receive(into: &ends.buffer) == .bytes(isAll: true))
    guard case .message = ends.channel.next() else { return #expect(Bool(false)) }
    ends.channel.holdUp()
    #expect(ends.channel.next() == nil)
    #expect(ends.channel.interest == .writable)
    #expect(ends.channel.resume())
    #expect(ends.hear() == ["second"])
  }

  @Test func `a peer that is paused is not read, and goes on where it was`() throws {
    let ends = try Ends(.holdUpRequests)
    try ends.write("first\nsecond\n")
    #expect(ends.channel.receive(into: &ends.buffer) == .bytes(isAll: true))
    guard case .message = ends.channel.next() else { return #expect(Bool(false)) }
    ends.channel.pause()
    #expect(ends.channel.next() == nil)
    #expect(ends.channel.receive(into: &ends.buffer) == .nothing)
    #expect(ends.channel.interest == [])
    // It takes what it is told all the same.
    #expect(ends.channel.tell(Message("ok")))
    #expect(try ends.read().text == "ok\n")
    ends.channel.holdUp()
    #expect(ends.channel.interest == [])
    ends.channel.proceed()
    #expect(ends.channel.resume())
    #expect(ends.hear() == ["second"])
  }

  @Test func `what a peer asked before it went away is still heard, although it was held up`() throws {
    let ends = try Ends(.holdUpRequests)
    let reactor = try Reactor<String>()
    try ends.channel.watch(in: reactor, as: "channel")
    ends.fill()
    while !ends.channel.isBusy { ends.channel.queue(Ends.long) }
    try ends.write("first\nsecond\n")
    _ = ends.channel.receive(into: &ends.buffer)
    #expect(ends.channel.next() == nil)
    ends.peer.close()
    try ends.channel.updateInterest(in: reactor)
    try reactor.wait(timeoutMilliseconds: 5000)
    ends.channel.handle(try #require(reactor[0]).readiness)
    #expect(ends.channel.resume())
    #expect(ends.hear() == ["first", "second", "hungUp"])
  }

  @Test func `notices that nobody takes end a channel that holds up requests as well`() throws {
    let ends = try Ends(.holdUpRequests, maximumOutput: 20_000)
    ends.fill()
    while ends.channel.queue(Ends.long) {}
    #expect(ends.channel.outputEnd == .overrun)
  }

  @Test func `what is told anew is never refused, and leaves the bound to what follows`() throws {
    let ends = try Ends(.refuseMore, maximumOutput: 10_000)
    ends.fill()
    ends.channel.tellAnew { for _ in 0..<100 { #expect(ends.channel.tell(Ends.long)) } }
    let anew = ends.channel.queuedBytes
    #expect(anew > 10_000)
    while ends.channel.queue(Ends.long) {}
    #expect(ends.channel.queuedBytes > anew && ends.channel.queuedBytes <= anew + 10_000)
  }

  @Test func `what is too much is refused until all is taken, and that is told once`() throws {
    let ends = try Ends(.refuseMore, maximumOutput: 10_000)
    ends.fill()
    while ends.channel.queue(Ends.long) {}
    #expect(ends.channel.queuedBytes <= 10_000)
    // The message goes in order or not at all, even where there is room for it.
    #expect(!ends.channel.queue(Message("small")))
    #expect(!ends.channel.takeRefusal())
    try ends.write("hello\n")
    #expect(ends.hear() == ["hello"])
    var text = ""
    while !ends.channel.isDone {
      text += try ends.read().text
      ends.channel.handle(.writable)
    }
    text += try ends.read().text
    #expect(!text.contains("small"))
    #expect(text.hasSuffix("\n"))
    #expect(ends.channel.takeRefusal())
    #expect(!ends.channel.takeRefusal())
    #expect(ends.channel.tell(Message("anew")))
    #expect(try ends.read().text == "anew\n")
  }

  @Test func `what cannot be sent though there is room is tried again`() async {
    await #expect(processExitsWith: .success) {
      let ends = try Ends(.refuseMore)
      // Nobody else in this process gets a number so high.
      let file = try Files.openNull()
      let null = DescriptorBox(Descriptor(owning: fcntl(file.raw, F_DUPFD_CLOEXEC, 900)))
      ends.channel.queue(Message("store"), descriptor: null)
      #expect(ends.channel.needsRetry)
      // The number means nothing while the message is sent, and a file again at the next try.
      let number = null.raw
      try #require(close(number) == 0)
      #expect(ends.channel.flush() == .waiting)
      #expect(ends.channel.needsRetry)
      try #require(dup2(ends.peer.raw, number) == number)
      #expect(ends.channel.flush() == .complete)
      #expect(!ends.channel.needsRetry)
    }
  }

  @Test func `what waits for room is not tried again before there is room`() throws {
    let ends = try Ends(.refuseMore)
    ends.fill()
    #expect(!ends.channel.isDone && !ends.channel.needsRetry)
  }

  @Test func `a descriptor that is refused with its line is given back`() throws {
    let ends = try Ends(.refuseMore, maximumOutput: 1500)
    ends.fill()
    while ends.channel.queue(Ends.long) {}
    ends.channel.queue(Message("ring"), descriptor: DescriptorBox(try Files.openNull()))
    #expect(ends.channel.descriptorCount == 0)
  }
}
