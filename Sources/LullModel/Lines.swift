/// The purpose of a line (`type=`).
public enum LinePurpose: String, CaseIterable, Sendable {
  case voip
  /// An accessory, or any other descriptor.
  case accessory
  /// A connection to what tells where the machine is.
  case location
  /// A connection to BlueZ, or a descriptor that it gave for a characteristic.
  case bluetooth

  /// The modes of which a program with such a line has one.
  package var modes: Modes {
    switch self {
    case .voip: .voip
    case .accessory: .externalAccessory
    case .location: .location
    case .bluetooth: [.bluetoothCentral, .bluetoothPeripheral]
    }
  }

  /// The reason of a wake by its data.
  package var wakeReason: WakeReason {
    switch self {
    case .voip: .data
    case .accessory: .accessory
    case .location: .location
    case .bluetooth: .bluetooth
    }
  }

  /// The purpose of what a command with these modes waits for.
  package init(ofCommandWith modes: Modes) {
    let given = modes.subtracting(.audio)
    self = Self.allCases.first { !given.isEmpty && given.isSubset(of: $0.modes) } ?? .voip
  }
}

/// The rules by which the daemon answers a peer for a sleeping program: the program has declared them, and
/// the line is proved to stand at a message boundary.
public struct Offload: WordSet, Hashable {
  /// The bits.
  public let rawValue: UInt8
  /// The rules with these bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }
  /// `ping` is answered `pong`.
  public static let line = Offload(rawValue: 1)
  /// The double CRLF of RFC 5626, section 3.5.1, is answered by a single one.
  public static let crlf = Offload(rawValue: 2)
  /// NAT keep-alive datagrams are swallowed.
  public static let udpKeepalive = Offload(rawValue: 4)
  /// STUN binding requests (RFC 8489) are answered.
  public static let stun = Offload(rawValue: 8)

  /// Every rule with its word.
  public static let all: [(member: Offload, word: String)] = [
    (.line, "line"), (.crlf, "crlf"), (.udpKeepalive, "udp-keepalive"), (.stun, "stun"),
  ]
}

/// The kind of a line, as a person would call it (`line=` of an item, `kind=` of the reply to `hold`).
public enum LineKind: String, CaseIterable, Sendable {
  case tcp
  case udp
  case tcpListen = "tcp-listen"
  case unix
  /// Any other descriptor that can be polled, such as a pipe or a device.
  case other
  /// An epoll set, which stands for all of its descriptors.
  case set
}
