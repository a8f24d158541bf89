import LullMedia
import LullSystem
import TestSupport
import Testing

/// Somebody with a pair of UDP ports, who speaks RTP and RTCP to a phone by hand.
final class FarEnd {
  let address: SocketAddress
  private let sound: DescriptorBox
  private let reports: DescriptorBox
  private var sequence: UInt16 = 0
  private let source: UInt32
  private var buffer = ReceiveBuffer(capacity: 2048)

  /// `host` is a numeric address of this machine.
  init(host: String = "127.0.0.1", source: UInt32 = 0xCA11_E4) throws {
    var found: (sound: DescriptorBox, reports: DescriptorBox, address: SocketAddress)?
    while found == nil {
      let any = try #require(SocketAddress(numeric: "\(host):0"))
      let sound = DescriptorBox(try Socket.bindDatagram(any))
      let address = try Socket.localAddress(sound.raw)
      let port = try #require(address.port)
      guard port.isMultiple(of: 2), let next = SocketAddress(numeric: "\(host):\(port + 1)"),
        let reports = try? Socket.bindDatagram(next)
      else { continue }
      found = (sound, DescriptorBox(reports), address)
    }
    (sound, reports, address) = try #require(found)
    self.source = source
  }

  /// Sends a frame of silence.
  func speak(to phone: SocketAddress) throws {
    sequence &+= 1
    var bytes: [UInt8] = []
    RTPPacket(
      payloadType: 111, sequence: sequence, timestamp: UInt32(sequence) &* 960, source: source,
      payload: [0xF8, 0xFF, 0xFE]
    ).append(to: &bytes)
    try Socket.sendDatagram(sound.raw, bytes, to: phone)
  }

  /// Sends an empty report to the port after the phone's, with a good-bye when it is the last one.
  func report(to phone: SocketAddress, isLast: Bool = false) throws {
    let text = phone.description
    let colon = try #require(text.lastIndex(of: ":"))
    let next = "\(text[...colon])\(try #require(phone.port) + 1)"
    let name = (0..<4).map { UInt8(truncatingIfNeeded: source >> (24 - 8 * $0)) }
    let goodbye: [UInt8] = isLast ? [0x81, 203, 0, 1] + name : []
    try Socket.sendDatagram(
      reports.raw, [0x80, 201, 0, 1] + name + goodbye, to: try #require(SocketAddress(numeric: next)))
  }

  /// The next packet of the phone's sound.
  func packet() throws -> [UInt8] { try next(sound, "no sound came") }

  /// The next report that comes to the port of reports.
  func reported() throws -> [UInt8] { try next(reports, "no report came") }

  /// True when sound has come, or comes within 20 ms.
  func hears() throws -> Bool {
    _ = try Socket.poll(sound.raw, .readable, timeoutMilliseconds: 20)
    return try Socket.readDatagram(sound.raw, into: &buffer) != nil
  }

  private func next(_ box: DescriptorBox, _ comment: Comment) throws -> [UInt8] {
    try ready(box.raw, .readable, comment)
    _ = try #require(try Socket.readDatagram(box.raw, into: &buffer))
    return Array(buffer.received)
  }
}
