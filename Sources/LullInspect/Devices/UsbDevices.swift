import LullModel

/// The vendors and products of USB devices. A serial line or a keyboard behind one tells only its path, with
/// the device's name in it, and when it goes the device may be gone already.
struct UsbDevices {
  private static let most = 256

  private struct Product: Equatable {
    let vendor: UInt16
    let product: UInt16

    /// `VENDOR/PRODUCT/...`, in hexadecimal digits without leading zeros.
    init?(_ parts: some Collection<Substring>) {
      let numbers = parts.prefix(2).compactMap { UInt16($0, radix: 16) }
      guard numbers.count == 2 else { return nil }
      (vendor, product) = (numbers[0], numbers[1])
    }
  }

  private var devices: [(name: String, product: Product)] = []

  init() {}

  /// Reads `/sys/bus/usb/devices`, below `root`.
  init(root: String) {
    for (name, event) in Uevent.all(in: root + "/sys/bus/usb/devices") { take(name, event) }
  }

  /// Returns the accessory that has come or gone.
  mutating func take(_ event: Uevent) -> Accessory? {
    guard event["ACTION"] == "add" || event.isRemoval, let name = event.name,
      let subsystem = event["SUBSYSTEM"].flatMap(AccessorySubsystem.init(rawValue:))
    else { return nil }
    take(name, event)
    let product = Self.product(event, subsystem) ?? product(onPath: event["DEVPATH"] ?? "")
    if event.isRemoval { devices.removeAll { $0.name == name } }
    return Accessory(subsystem, vendor: product?.vendor, product: product?.product)
  }

  private mutating func take(_ name: String, _ event: Uevent) {
    guard event["DEVTYPE"] == "usb_device", let product = Self.product(event, .usb) else { return }
    devices.removeAll { $0.name == name }
    if devices.count == Self.most { devices.removeFirst() }
    devices.append((name, product))
  }

  /// `PRODUCT` begins with the number of the bus for a device of input.
  private static func product(_ event: Uevent, _ subsystem: AccessorySubsystem) -> Product? {
    guard subsystem == .usb || subsystem == .input, let parts = event["PRODUCT"]?.split(separator: "/") else {
      return nil
    }
    return Product(parts.dropFirst(subsystem == .input ? 1 : 0))
  }

  /// The device that is nearest, behind whatever hubs.
  private func product(onPath path: String) -> Product? {
    for name in path.split(separator: "/").reversed() {
      if let device = devices.last(where: { $0.name == name }) { return device.product }
    }
    return nil
  }
}
