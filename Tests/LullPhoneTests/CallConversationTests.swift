import LullSystem
import TestSupport
import Testing

@testable import lull_phone

@Suite(.bounded) struct CallMessageTests {
  @Test func `The lines of a call are read and written`() throws {
    let address = try #require(SocketAddress(numeric: "192.0.2.1:5004"))
    let six = try #require(SocketAddress(numeric: "[2001:db8::1]:5004"))
    for (text, message) in [
      ("notify 192.0.2.1:5004 pt=96", CallMessage.notify(.init(address: address, payloadType: 96))),
      ("answer [2001:db8::1]:5004", .answer(six)), ("bye", .bye),
    ] {
      #expect(try CallMessage(text) == message)
      #expect(message.text == text)
    }
    #expect(try CallMessage("notify 192.0.2.1:5004") == .notify(.init(address: address, payloadType: 111)))
    #expect(
      try CallMessage("notify  192.0.2.1:5004 x=1 pt=97") == .notify(.init(address: address, payloadType: 97))
    )
  }

  @Test(arguments: [
    "notify", "answer", "bye now", "Bye", "", "hello 192.0.2.1:5004", "notifying 192.0.2.1:5004",
  ])
  func `Any other line is none of them`(_ text: String) throws {
    #expect(try CallMessage(text) == nil)
  }

  @Test(arguments: [
    ("notify somebody", "notify somebody: expected an address and a port, such as 192.0.2.1:5004"),
    ("answer 192.0.2.1", "answer 192.0.2.1: expected an address and a port, such as 192.0.2.1:5004"),
    ("notify 192.0.2.1:0", "notify 192.0.2.1:0: expected an address and a port, such as 192.0.2.1:5004"),
    ("notify 192.0.2.1:5004 pt=95", "pt=95: a payload type is 96 to 127"),
    ("notify 192.0.2.1:5004 pt=\u{1B}", "pt=\\u{1B}: a payload type is 96 to 127"),
  ])
  func `An error in one is told in one line`(_ text: String, _ message: String) {
    let error = #expect(throws: CallMessage.ParseError.self) { try CallMessage(text) }
    #expect(error?.description == message)
  }
}

@Suite(.bounded) struct CallConversationTests {
  private var call = CallConversation()
  private let offer: CallMessage.Offer
  private let other: CallMessage.Offer

  init() throws {
    offer = .init(address: try #require(SocketAddress(numeric: "192.0.2.1:5004")), payloadType: 96)
    other = .init(address: try #require(SocketAddress(numeric: "192.0.2.2:6000")))
  }

  @Test mutating func `A call rings, is answered, and ends by the caller's bye`() {
    #expect(call.handle(.message(.notify(offer))) == [.raise])
    #expect(call.handle(.answered) == [.print("Answered"), .accept(offer)])
    #expect(call.handle(.message(.bye)) == [.end])
    #expect(call.state == .idle)
    #expect(call.handle(.mediaEnded) == [])
  }

  @Test mutating func `A call that is hung up tells the other one`() {
    _ = call.handle(.message(.notify(offer)))
    _ = call.handle(.answered)
    #expect(call.handle(.hungUp) == [.send(.bye), .end])
    #expect(call.handle(.hungUp) == [])
    #expect(call.handle(.message(.bye)) == [])
  }

  @Test mutating func `When the media end by themselves the other one is told`() {
    _ = call.handle(.message(.notify(offer)))
    _ = call.handle(.answered)
    #expect(call.handle(.mediaEnded) == [.send(.bye), .end])
  }

  @Test mutating func `A caller who gives up, or is gone, is missed, and answering then starts nothing`() {
    for end in [CallConversation.Input.message(.bye), .disconnected] {
      _ = call.handle(.message(.notify(offer)))
      #expect(call.handle(end) == [.miss])
      #expect(call.handle(.answered) == [.print("The call is over")])
    }
  }

  @Test mutating func `A caller who repeats itself rings once, and the last address counts`() {
    #expect(call.handle(.message(.notify(offer))) == [.raise])
    #expect(call.handle(.message(.notify(offer))) == [])
    #expect(call.handle(.message(.notify(other))) == [.raise])
    #expect(call.handle(.answered) == [.print("Answered"), .accept(other)])
  }

  @Test mutating func `A second call does not disturb the first`() {
    _ = call.handle(.message(.notify(offer)))
    _ = call.handle(.answered)
    #expect(call.handle(.message(.notify(other))) == [.print("Busy: the call was not taken"), .missOther])
    #expect(call.handle(.dialed(other)) == [.print("Busy: the phone is in a call")])
    #expect(call.state == .talking)
  }

  @Test mutating func `Who calls speaks when the other one answers, with its own payload type`() {
    #expect(call.handle(.dialed(offer)) == [.send(.notify(offer)), .print("Calling")])
    #expect(
      call.handle(.message(.answer(other.address)))
        == [.connect(.init(address: other.address, payloadType: 96))])
    #expect(call.handle(.message(.answer(offer.address))) == [])
    #expect(call.handle(.disconnected) == [])
    #expect(call.state == .talking)
  }

  @Test mutating func `A call that nobody takes ends`() {
    for end in [CallConversation.Input.message(.bye), .disconnected] {
      _ = call.handle(.dialed(offer))
      #expect(call.handle(end) == [.print("The call was not taken"), .end])
    }
    _ = call.handle(.dialed(offer))
    #expect(call.handle(.hungUp) == [.send(.bye), .end])
  }

  @Test mutating func `An answer that nobody waits for is passed over`() {
    #expect(call.handle(.message(.answer(offer.address))) == [])
    #expect(call.handle(.answered) == [.print("The call is over")])
  }

  @Test mutating func `A call without sound rings as often as it comes, and bye makes it a missed one`() {
    #expect(call.handle(.notified) == [.raise] && call.handle(.notified) == [.raise])
    #expect(call.isRinging && !call.offersSound)
    #expect(call.handle(.message(.bye)) == [.miss])
    #expect(call.handle(.notified) == [.raise])
    #expect(call.handle(.answered) == [.print("Answered")])
    #expect(call.state == .idle)
    #expect(call.handle(.message(.bye)) == [])
  }

  @Test mutating func `A call that comes with sound after one without, or before it, is one with sound`() {
    _ = call.handle(.notified)
    #expect(call.handle(.message(.notify(offer))) == [.raise])
    #expect(call.handle(.notified) == [.raise])
    #expect(call.handle(.answered) == [.print("Answered"), .accept(offer)])
    #expect(call.handle(.notified) == [.print("Busy: the call was not taken"), .missOther])
  }

  @Test mutating func `Who dismisses a call that rings declines it, and one that lasts goes on`() {
    for rings in [CallConversation.Input.notified, .message(.notify(offer))] {
      _ = call.handle(rings)
      #expect(call.handle(.dismissed) == [.print("Declined"), .send(.bye)])
      #expect(call.state == .idle && call.handle(.dismissed) == [])
    }
    _ = call.handle(.message(.notify(offer)))
    _ = call.handle(.answered)
    #expect(call.handle(.dismissed) == [])
    #expect(call.state == .talking)
  }
}

extension PhoneConversationTests {
  @Test func `The lines of a call are logged and handed on, errors are told`() throws {
    var conversation = PhoneConversation()
    let address = try #require(SocketAddress(numeric: "127.0.0.1:9"))
    #expect(
      conversation.received(Array("notify 127.0.0.1:9\nbye\nnotify x\n".utf8)[...]) == [
        .print("Received: notify 127.0.0.1:9"), .call(.notify(.init(address: address))),
        .print("Received: bye"), .call(.bye),
        .print("Received: notify x"),
        .print("Had error: notify x: expected an address and a port, such as 192.0.2.1:5004"),
      ])
  }
}
