import LullSystem

/// The power supplies: read once, and then as the kernel tells of their changes. A read asks the battery's
/// own controller, which can take long.
struct WatchedPower: ~Copyable {
  private static let turn = 64

  private let folder: String
  private var socket: UeventSocket?
  private(set) var supplies = PowerSupplies()

  init(root: String) { folder = root + "/sys/class/power_supply" }

  mutating func open() throws(SystemError) -> Int32 {
    // The socket tells what changes during the read.
    defer { read() }
    let new = try UeventSocket()
    let raw = new.raw
    socket = consume new
    return raw
  }

  /// What is left wakes the loop again.
  mutating func receive(_ buffer: inout ReceiveBuffer) throws(SystemError) {
    for _ in 0..<Self.turn {
      switch try socket?.read(into: &buffer) {
      case .message: supplies.take(message: buffer.received)
      case .overrun: read()
      case .nothing, nil: return
      }
    }
  }

  private mutating func read() {
    supplies = PowerSupplies()
    guard let entries = try? Files.entries(of: Array(folder.utf8)) else { return }
    for entry in entries {
      let name = String(decoding: entry.name, as: UTF8.self)
      guard let text = try? Files.read("\(folder)/\(name)/uevent", limit: 1 << 16) else { continue }
      supplies.take(name, text.split(separator: UInt8(ascii: "\n")))
    }
  }
}
