/// The bytes of a stream that no sound accounts for. A hostile server can send without end what is no sound:
/// extensions of chunks, bodies of redirections, titles, anything between two frames.
struct ByteDebt {
  /// The most: a tag with its pictures, and what waits to be decoded.
  static let most = Int64(DecodeStep.mostSilentBytes) + (1 << 20)
  /// No format takes more bytes for a sample.
  private static let perSample: Int64 = 8

  private(set) var bytes: Int64 = 0
  private var received: Int64 = 0

  mutating func note(received all: Int64) {
    bytes += all - received
    received = all
  }

  mutating func noteDecoded(samples: Int) { pay(Int64(samples) * Self.perSample) }

  /// Accounts for bytes that are no fault of the server's.
  mutating func pay(_ count: Int64) { bytes = max(0, bytes - count) }

  var isTooLarge: Bool { bytes > Self.most }
}
