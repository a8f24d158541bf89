import LullMedia
import LullSystem
import LullWire

/// The text lines by which a call with media is made, beside `ping`, `pong` and `notify`. Each can be typed
/// by hand.
///
///     notify HOST:PORT [pt=NUMBER] [to=LINK]
///                                    a call; the caller receives RTP there, and Opus has this payload type.
///                                    The server takes it to the one whom the link names
///     answer HOST:PORT               the called phone has answered, and receives RTP there
///     bye                            the call is over, or was not taken
enum CallMessage: Equatable {
  case notify(Offer)
  case answer(SocketAddress)
  case bye

  /// The address at which the sender receives, and the payload type of Opus in both directions.
  struct Offer: Equatable {
    var address: SocketAddress
    var payloadType = MediaSession.Settings().payloadType
    /// The link that names the called one; only in what this phone sends.
    var to: String?
  }

  /// A text line that begins like one of these and goes on differently.
  struct ParseError: Error, Equatable, CustomStringConvertible {
    let description: String
  }

  /// Nil for every other text line.
  init?(_ text: String) throws(ParseError) {
    let words = text.split(separator: " ")
    switch (words.first, words.count) {
    case ("bye", 1): self = .bye
    case ("notify", 2...):
      self = .notify(
        Offer(
          address: try CallMessage.address(words),
          payloadType: try CallMessage.payloadType(words.dropFirst(2)))
      )
    case ("answer", 2...): self = .answer(try CallMessage.address(words))
    default: return nil
    }
  }

  /// Reads a numeric address. Names are not resolved: a peer must not make this machine ask a name server.
  private static func address(_ words: [Substring]) throws(ParseError) -> SocketAddress {
    guard let address = SocketAddress(numeric: String(words[1])), address.port != 0 else {
      let text = Printable.text(String(words[1]))
      throw ParseError(
        description: "\(words[0]) \(text): expected an address and a port, such as 192.0.2.1:5004")
    }
    return address
  }

  private static func payloadType(_ words: ArraySlice<Substring>) throws(ParseError) -> UInt8 {
    guard let word = words.first(where: { $0.hasPrefix("pt=") }) else {
      return MediaSession.Settings().payloadType
    }
    guard let type = UInt8(word.dropFirst(3)), RTPPacket.dynamicPayloadTypes.contains(type) else {
      throw ParseError(description: "\(Printable.text(String(word))): a payload type is 96 to 127")
    }
    return type
  }

  /// The text line without its end.
  var text: String {
    switch self {
    case .notify(let offer):
      "notify \(offer.address) pt=\(offer.payloadType)" + (offer.to.map { " to=\($0)" } ?? "")
    case .answer(let address): "answer \(address)"
    case .bye: "bye"
    }
  }
}
