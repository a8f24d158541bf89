/// The packets of RTCP (RFC 3550, section 6) that a call needs.
enum RTCPPacket: Equatable, Sendable {
  /// The report of a source that sends, with its reception of others.
  case senderReport(source: UInt32, SenderInformation, [ReportBlock])
  /// The report of a source that sends nothing, with its reception of others.
  case receiverReport(source: UInt32, [ReportBlock])
  /// The canonical name of a source; it is written and not read.
  case canonicalName(source: UInt32, String)
  case goodbye([UInt32])

  /// The counts of a sender (section 6.4.1).
  struct SenderInformation: Equatable, Sendable {
    /// The date of the report, in seconds since 1900: 32 bits and 32 bits of a fraction.
    var date: UInt64
    /// The same moment on the clock of the RTP packets.
    var timestamp: UInt32
    var packets: UInt32
    /// The bytes of payload sent.
    var bytes: UInt32
  }

  struct ReportBlock: Equatable, Sendable {
    var source: UInt32
    /// The share of lost packets since the last report, in 256ths.
    var fractionLost: UInt8
    /// The packets lost since the beginning; duplicates count against them.
    var lost: Int32
    /// The highest sequence number, with the number of its cycles in the upper half.
    var highestSequence: UInt32
    /// The jitter of the arrivals, in samples of 48 kHz.
    var jitter: UInt32
    /// The middle 32 bits of the date in the source's last report; 0 when there was none.
    var lastReport: UInt32
    /// The time since that report came, in 65536ths of a second.
    var delay: UInt32
  }

  static let types: (sender: UInt8, receiver: UInt8, names: UInt8, goodbye: UInt8) = (
    200, 201, 202, 203
  )
  static let canonicalNameItem: UInt8 = 1
  static let maximumCount = 31

  /// True when a datagram of a port that carries RTP and RTCP is RTCP (RFC 5761, section 4).
  static func isControl(_ datagram: ArraySlice<UInt8>) -> Bool {
    guard let type = datagram.dropFirst().first else { return false }
    return (192...223).contains(type)
  }
}
