import Fuzzing

@testable import LullMedia

/// Datagrams from a peer that sends anything, at any times, while its sound is played and reports are sent.
func fuzzMedia(_ bytes: [UInt8]) throws(Flaw) {
  var source = ByteSource(bytes)
  guard source.flag() else { return try fuzzPackets(source.rest()) }
  guard var session = try? MediaSession() else { throw Flaw("no session") }
  var now: Int64 = 1_000_000_000
  var frame: [Int16] = []
  var steps = 0
  var own: UInt32 = 0
  while !source.isEmpty, steps < 60 {
    steps += 1
    let datagram = datagram(&source, own: own)
    _ = session.receive(datagram[...], at: now)
    let actions = source.byte()
    if actions & 1 != 0 {
      session.play(into: &frame, at: now)
      try hold(frame.count == Opus.frame, "a frame of \(frame.count) samples")
    }
    if actions & 2 != 0 {
      let report = session.report(at: now, date: source.number(), isLast: actions & 4 != 0)
      guard let packets = RTCPPacket.read(report[...]), let first = packets.first else {
        throw Flaw("the report \(report) is not read back")
      }
      own = first.source
    }
    if actions & 8 != 0, let sent = try? session.datagram(for: Array(repeating: 5, count: Opus.frame).span) {
      try hold(RTPPacket(sent[...]) != nil, "the datagram \(sent) is not read back")
    }
    if actions & 16 != 0 { session.skip(frames: Int(source.byte())) }
    now += actions & 128 != 0 ? Int64(source.number(UInt32.self)) * 1000 : 20_000_000
    let waited = session.statistics.waitMilliseconds
    try hold(waited.isFinite && session.statistics.received >= 0, "\(session.statistics)")
  }
}

/// A datagram, mostly a packet that is taken: a few bytes choose its difference from the one before.
private func datagram(_ source: inout ByteSource, own: UInt32) -> [UInt8] {
  let kind = source.byte()
  if kind < 32 { return Array(source.take(Int(source.byte()))) }
  var bytes: [UInt8] = []
  if kind < 64 {
    let block = RTCPPacket.ReportBlock(
      source: kind & 1 == 0 ? own : source.number(), fractionLost: source.byte(), lost: source.number(),
      highestSequence: source.number(), jitter: source.number(), lastReport: source.number(),
      delay: source.number())
    let information = RTCPPacket.SenderInformation(
      date: source.number(), timestamp: source.number(), packets: source.number(), bytes: source.number())
    if kind & 2 == 0 {
      RTCPPacket.senderReport(source: 7, information, [block]).append(to: &bytes)
    } else {
      RTCPPacket.receiverReport(source: 7, [block]).append(to: &bytes)
    }
    if kind & 4 != 0 { RTCPPacket.goodbye([7]).append(to: &bytes) }
    return bytes
  }
  let payload = source.take(1 + Int(source.byte() & 31))
  RTPPacket(
    payloadType: kind & 64 == 0 ? 111 : 111 ^ (kind & 1), sequence: source.number(),
    timestamp: source.number(UInt32.self) &* (kind & 128 != 0 ? 960 : 1), source: kind & 2 == 0 ? 7 : 8,
    payload: payload
  ).append(to: &bytes)
  return bytes
}

/// Checks that bytes that are read as a packet are written and read again as the same packet.
private func fuzzPackets(_ bytes: ArraySlice<UInt8>) throws(Flaw) {
  if let packet = RTPPacket(bytes) {
    var written: [UInt8] = []
    packet.append(to: &written)
    try hold(RTPPacket(written[...]) == packet, "\(packet) is read back as another one")
  }
  guard let packets = RTCPPacket.read(bytes), let first = packets.first else { return }
  _ = RTCPPacket.isControl(bytes)
  var written: [UInt8] = []
  for packet in [first] + packets { packet.append(to: &written) }
  try hold(RTCPPacket.read(written[...]) == [first] + packets, "\(packets) are read back as others")
}

extension RTCPPacket {
  fileprivate var source: UInt32 {
    switch self {
    case .senderReport(let source, _, _), .receiverReport(let source, _), .canonicalName(let source, _):
      source
    case .goodbye(let sources): sources.first ?? 0
    }
  }
}
