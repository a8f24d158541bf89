import LullSystem

/// The one call of a phone: who rings, who answers, who hangs up. It makes no call of the system: what
/// happens goes in, what is to be done comes out, in order.
struct CallConversation {
  enum State: Equatable {
    case idle
    /// Somebody calls.
    case ringing(CallLine.Offer)
    /// This phone calls, and hears at this address.
    case dialing(payloadType: UInt8)
    case talking
  }

  enum Input: Equatable {
    case line(CallLine)
    /// The user chose Answer, for the last call that rang.
    case answered
    /// This phone calls.
    case dialed(CallLine.Offer)
    case hungUp
    /// The media have ended by themselves: the peer said good-bye in RTCP, or was not heard.
    case mediaEnded
    /// The connection of the lines is gone. A call that has media goes on without it.
    case disconnected
  }

  enum Output: Equatable {
    case print(String)
    case send(CallLine)
    /// Raise the notification of a call.
    case raise
    /// Open a port for this call, send `answer`, and speak.
    case accept(CallLine.Offer)
    /// The other one has answered: speak.
    case connect(CallLine.Offer)
    /// End the media, and close the port.
    case end
  }

  private(set) var state = State.idle

  var isRinging: Bool { if case .ringing = state { true } else { false } }

  mutating func handle(_ input: Input) -> [Output] {
    switch (input, state) {
    case (.line(.notify(let offer)), .idle):
      state = .ringing(offer)
      return [.raise]
    case (.line(.notify(let offer)), .ringing(let last)):
      // The caller repeats itself, or hears at another address now.
      state = .ringing(offer)
      return offer == last ? [] : [.raise]
    case (.line(.notify), .dialing), (.line(.notify), .talking):
      return [.print("Busy: the call was not taken")]
    case (.line(.answer(let address)), .dialing(let payloadType)):
      state = .talking
      return [.connect(CallLine.Offer(address: address, payloadType: payloadType))]
    case (.line(.answer), _): return []
    case (.line(.bye), .ringing), (.disconnected, .ringing): return rest([.print("Missed call")])
    case (.line(.bye), .dialing), (.disconnected, .dialing):
      return rest([.print("The call was not taken"), .end])
    case (.line(.bye), .talking): return rest([.end])
    case (.answered, .ringing(let offer)):
      state = .talking
      return [.print("Answered"), .accept(offer)]
    case (.answered, _): return [.print("Answered")]
    case (.dialed(let own), .idle):
      state = .dialing(payloadType: own.payloadType)
      return [.send(.notify(own)), .print("Calling")]
    case (.dialed, _): return [.print("Busy: the phone is in a call")]
    case (.hungUp, .ringing): return rest([.send(.bye)])
    case (.hungUp, .dialing), (.hungUp, .talking), (.mediaEnded, .talking): return rest([.send(.bye), .end])
    case (.line(.bye), .idle), (.hungUp, .idle), (.mediaEnded, _), (.disconnected, _): return []
    }
  }

  private mutating func rest(_ outputs: [Output]) -> [Output] {
    state = .idle
    return outputs
  }
}
