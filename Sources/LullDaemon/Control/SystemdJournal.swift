import LullSystem
import LullWire

/// systemd's journal, which gets every entry of this daemon where it runs. The native protocol is a datagram
/// for each entry: https://systemd.io/JOURNAL_NATIVE_PROTOCOL
final class SystemdJournal {
  static let path = "/run/systemd/journal/socket"
  private static let atOnce = 64
  /// What is worth more than a look: syslog(3)'s LOG_WARNING; for anything else LOG_INFO.
  private static let warnings = ["unexpected", "journal-unwritten", "guard-missing", "left-running"]

  private let destination: (socket: DescriptorBox, address: SocketAddress)?
  private var next = 0
  private(set) var hasBacklog = false

  init(path: String = SystemdJournal.path) {
    guard Files.exists(path), let address = try? SocketAddress(path: path),
      let socket = try? UnixSocket.datagrams()
    else {
      destination = nil
      return
    }
    destination = (DescriptorBox(socket), address)
  }

  /// Sends new entries without waiting. What systemd does not take now is dropped.
  func write(_ journal: Journal) {
    guard let (socket, address) = destination else { return }
    // Earlier daemons have sent theirs.
    let (own, end) = journal.own(from: next, atMost: Self.atOnce)
    for entry in own { _ = try? Socket.sendDatagram(socket.raw, Self.datagram(entry), to: address) }
    next = end
    hasBacklog = next < journal.count
  }

  private static func datagram(_ entry: Journal.Entry) -> [UInt8] {
    var bytes: [UInt8] = []
    add("MESSAGE", "\(entry.program ?? "lulld") \(entry.item.words)", to: &bytes)
    add("PRIORITY", warnings.contains(entry.what) ? "4" : "6", to: &bytes)
    add("SYSLOG_IDENTIFIER", "lulld", to: &bytes)
    add("LULL_EVENT", entry.what, to: &bytes)
    add("LULL_PROGRAM", entry.program, to: &bytes)
    add("LULL_CAUSE", entry.cause, to: &bytes)
    add("LULL_LINE", entry.line.map { "\($0)" }, to: &bytes)
    add("LULL_DETAIL", entry.detail, to: &bytes)
    add("LULL_PEER", entry.peer, to: &bytes)
    add("LULL_WAITED_USEC", entry.waitedMicroseconds.map { "\($0)" }, to: &bytes)
    add("LULL_COUNT", entry.count > 1 ? "\(entry.count)" : nil, to: &bytes)
    return bytes
  }

  /// A value with a line feed is written with its length, 64 bits, least significant byte first.
  private static func add(_ name: String, _ value: String?, to bytes: inout [UInt8]) {
    guard let value else { return }
    let lineFeed = UInt8(ascii: "\n")
    bytes += name.utf8
    if value.utf8.contains(lineFeed) {
      bytes.append(lineFeed)
      for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: value.utf8.count >> (8 * shift))) }
    } else {
      bytes.append(UInt8(ascii: "="))
    }
    bytes += value.utf8
    bytes.append(lineFeed)
  }
}
