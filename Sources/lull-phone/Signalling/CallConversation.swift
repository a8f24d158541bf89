import LullSystem

/// The one call of a phone: ringing, answering, hanging up. It makes no system call: events go in, actions
/// come out, in order.
struct CallConversation {
  enum State: Equatable {
    case idle
    /// The peer calls; nil for a call without sound.
    case ringing(CallMessage.Offer?)
    /// This phone calls; Opus has this payload type.
    case dialing(payloadType: UInt8)
    case talking
  }

  enum Input: Equatable {
    case message(CallMessage)
    /// The peer calls without sound (`notify` alone).
    case notified
    /// The user chose Answer, for the last call that rang.
    case answered
    case dismissed
    /// This phone calls, and receives at this address.
    case dialed(CallMessage.Offer)
    case hungUp
    /// The media have ended by themselves: the peer said good-bye in RTCP, or was not heard.
    case mediaEnded
    /// The connection to the server is gone. A call that has media goes on without it.
    case disconnected
  }

  enum Output: Equatable {
    case print(String)
    case send(CallMessage)
    case raise
    /// In place of the call's notification.
    case miss
    /// Another call was missed in this one.
    case missOther
    /// Open a port for this call, send `answer`, and speak.
    case accept(CallMessage.Offer)
    /// The peer has answered: speak.
    case connect(CallMessage.Offer)
    case end
  }

  private(set) var state = State.idle

  var isRinging: Bool { if case .ringing = state { true } else { false } }

  var offersSound: Bool { if case .ringing(.some) = state { true } else { false } }

  mutating func handle(_ input: Input) -> [Output] {
    switch (input, state) {
    case (.message(.notify(let offer)), .idle):
      state = .ringing(offer)
      return [.raise]
    case (.message(.notify(let offer)), .ringing(let last)):
      // The caller repeats the offer, or receives at another address now.
      state = .ringing(offer)
      return offer == last ? [] : [.raise]
    case (.notified, .idle):
      state = .ringing(nil)
      return [.raise]
    // The caller repeats itself; an offer of sound that came before holds.
    case (.notified, .ringing): return [.raise]
    case (.message(.notify), .dialing), (.message(.notify), .talking), (.notified, .dialing),
      (.notified, .talking):
      return [.print("Busy: the call was not taken"), .missOther]
    case (.message(.answer(let address)), .dialing(let payloadType)):
      state = .talking
      return [.connect(CallMessage.Offer(address: address, payloadType: payloadType))]
    case (.message(.answer), _): return []
    case (.message(.bye), .ringing), (.disconnected, .ringing): return rest([.miss])
    case (.message(.bye), .dialing), (.disconnected, .dialing):
      return rest([.print("The call was not taken"), .end])
    case (.message(.bye), .talking): return rest([.end])
    case (.answered, .ringing(let offer?)):
      state = .talking
      return [.print("Answered"), .accept(offer)]
    case (.answered, .ringing(nil)): return rest([.print("Answered")])
    case (.answered, _): return [.print("The call is over")]
    case (.dismissed, .ringing): return rest([.print("Declined"), .send(.bye)])
    case (.dismissed, _): return []
    case (.dialed(let own), .idle):
      state = .dialing(payloadType: own.payloadType)
      return [.send(.notify(own)), .print("Calling")]
    case (.dialed, _): return [.print("Busy: the phone is in a call")]
    // The phone ends: the caller, who may know no `bye`, sees it by the end of the connection.
    case (.hungUp, .ringing(nil)): return rest([])
    case (.hungUp, .ringing): return rest([.send(.bye)])
    case (.hungUp, .dialing), (.hungUp, .talking), (.mediaEnded, .talking): return rest([.send(.bye), .end])
    case (.message(.bye), .idle), (.hungUp, .idle), (.mediaEnded, _), (.disconnected, _): return []
    }
  }

  private mutating func rest(_ outputs: [Output]) -> [Output] {
    state = .idle
    return outputs
  }
}
