import LullWire
import TestSupport
import Testing

@testable import lull_phone

@Suite(.bounded) struct PhoneConversationTests {
  private var conversation = PhoneConversation()

  private mutating func receive(_ text: String) -> [PhoneConversation.Output] {
    conversation.received(Array(text.utf8)[...])
  }

  @Test mutating func `A ping is sent once, when the connection can first be written to`() {
    #expect(conversation.opened() == [.print("Connection Opened")])
    #expect(conversation.spaceAvailable() == [.send(.ping), .print("Ping sent")])
    #expect(conversation.spaceAvailable() == [])
    #expect(conversation.mayFinish)
  }

  @Test mutating func `A ping is answered, a notify raises the call, another line gets no answer`() {
    #expect(receive("ping\n") == [.print("Received: ping"), .send(.pong), .print("Pong sent")])
    #expect(receive("notify\r\n") == [.print("Received: notify"), .notify])
    #expect(receive("xxxxx\n") == [.print("Received: xxxxx")])
    #expect(receive("Ping\n") == [.print("Received: Ping")])
  }

  @Test mutating func `Several lines in one segment are read in order`() {
    #expect(
      receive("notify\nping\n") == [
        .print("Received: notify"), .notify, .print("Received: ping"), .send(.pong), .print("Pong sent"),
      ])
  }

  @Test mutating func `One line in several segments is read once, and the phone waits for its end`() {
    #expect(receive("no") == [])
    #expect(!conversation.mayFinish)
    #expect(receive("tify") == [])
    #expect(receive("\nx\n") == [.print("Received: notify"), .notify, .print("Received: x")])
    #expect(conversation.mayFinish)
  }

  @Test mutating func `The next life of the phone goes on where this one ended`() {
    #expect(conversation.state == Array("-".utf8))
    _ = conversation.spaceAvailable()
    #expect(receive("x\npi") == [.print("Received: x")])
    conversation = PhoneConversation(state: conversation.state)
    #expect(conversation.spaceAvailable() == [])
    #expect(receive("ng\n") == [.print("Received: ping"), .send(.pong), .print("Pong sent")])
    conversation = PhoneConversation(state: [])
    #expect(conversation.spaceAvailable() == [.send(.ping), .print("Ping sent")])
  }

  @Test mutating func `A keep-alive waits for any line`() {
    #expect(conversation.keepAlive() == [.send(.ping), .print("Ping sent")])
    #expect(!conversation.mayFinish)
    #expect(receive("anything\n") == [.print("Received: anything")])
    #expect(conversation.mayFinish)
  }

  @Test mutating func `The end of the connection is told, after what came last`() {
    #expect(receive("notify") == [])
    #expect(
      conversation.ended() == [.print("Received: notify"), .notify, .print("Connection Closed")])
    #expect(receive("ping") == [])
    #expect(conversation.ended() == [.print("Received: ping"), .print("Connection Closed")])
    #expect(conversation.mayFinish)
  }

  @Test mutating func `A line without an end does not fill the memory`() {
    for _ in 0..<100 { _ = receive(String(repeating: "x", count: 10_000)) }
    #expect(receive("\nping\n").count == 3)
  }

  @Test mutating func `Control characters and what is not UTF-8 do not reach the terminal`() {
    #expect(receive("\u{1B}[31mred\u{9B}\n") == [.print("Received: \\u{1B}[31mred\\u{9B}")])
    #expect(receive("a\u{202E}b\u{2028}c\n") == [.print("Received: a\\u{202E}b\\u{2028}c")])
    #expect(conversation.received([0xFF, 0x0A][...]) == [.print("Received: \u{FFFD}")])
  }
}

@Suite(.bounded) struct PhoneSettingsTests {
  @Test func `The destination is two words or one`() {
    #expect(Destination("localhost", 10000) == Destination("localhost:10000", nil))
    #expect(Destination("[::1]:10000", nil) == Destination("::1", 10000))
    for text in ["localhost", "localhost:", ":10000", "localhost:70000", "localhost:0", "::1", "a:b:1"] {
      #expect(Destination(text, nil) == nil, "\(text)")
    }
    #expect(Destination("", 1) == nil)
  }

  @Test func `The wait doubles up to ten minutes, and only short ones are spent awake`() {
    var backoff = ConnectPause()
    var waits: [Int] = []
    var awake: [Bool] = []
    for _ in 0..<11 {
      waits.append(backoff.next())
      awake.append(backoff.staysAwake)
    }
    #expect(waits == [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 600])
    #expect(awake == [true, true, true, true] + [Bool](repeating: false, count: 7))
    backoff.reset()
    #expect(backoff.next() == 1)
  }
}
