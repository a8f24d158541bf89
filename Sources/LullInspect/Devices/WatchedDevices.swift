package import LullModel
package import LullSystem

/// The machine's power supplies and its accessories: read once, and then as the kernel tells of their
/// changes. A read of the supplies asks the battery's own controller, which can take long.
package struct WatchedDevices: ~Copyable {
  /// What the kernel has told.
  package struct News {
    /// The accessories that came or went, in their order.
    package var accessories: [Accessory] = []
    /// Messages were lost: others may have come or gone too.
    package var isIncomplete = false
  }

  private static let turn = 64

  private let root: String
  private var socket: UeventSocket?
  private var usb = UsbDevices()
  package private(set) var supplies = PowerSupplies()

  package init(root: String) { self.root = root }

  package mutating func open() throws(SystemError) -> Int32 {
    // The socket tells what changes during the read.
    defer { read() }
    let new = try UeventSocket()
    let raw = new.raw
    socket = consume new
    return raw
  }

  /// What is left wakes the loop again.
  @discardableResult
  package mutating func receive(_ buffer: inout ReceiveBuffer) throws(SystemError) -> News {
    var news = News()
    for _ in 0..<Self.turn {
      switch try socket?.read(into: &buffer) {
      case .message:
        let event = Uevent(message: buffer.received)
        supplies.take(event)
        if let accessory = usb.take(event) { news.accessories.append(accessory) }
      case .overrun:
        news.isIncomplete = true
        read()
      case .nothing, nil: return news
      }
    }
    return news
  }

  private mutating func read() {
    (supplies, usb) = (PowerSupplies(), UsbDevices(root: root))
    let folder = root + "/sys/class/power_supply"
    for (name, event) in Uevent.all(in: folder) { supplies.take(name, event) }
  }
}
