/// A subsystem of the kernel whose devices are accessories (`SUBSYSTEM` of a uevent).
public enum AccessorySubsystem: String, CaseIterable, Sendable {
  /// Serial lines.
  case tty
  case usb
  /// Keyboards, mice, joysticks.
  case input
  case sound
}

/// A device that came or went, or the devices by which a program is woken (`--accessory`).
public struct Accessory: Hashable, Sendable {
  /// The subsystem.
  public var subsystem: AccessorySubsystem
  /// The number of the vendor, as lsusb(8) shows it; nil where it has none, or where any will do.
  public var vendor: UInt16?
  /// The vendor's number of the product; nil where it has none, or where any will do.
  public var product: UInt16?

  /// A device of `subsystem`, or all of them.
  public init(_ subsystem: AccessorySubsystem, vendor: UInt16? = nil, product: UInt16? = nil) {
    (self.subsystem, self.vendor, self.product) = (subsystem, vendor, product)
  }

  /// True when `device` is one of the devices that this value describes.
  public func includes(_ device: Accessory) -> Bool {
    subsystem == device.subsystem && (vendor == nil || vendor == device.vendor)
      && (product == nil || product == device.product)
  }
}

extension Accessory: LosslessStringConvertible {
  /// `SUBSYSTEM[:VENDOR[:PRODUCT]]`, with four hexadecimal digits for each number.
  public init?(_ text: String) {
    let parts = text.split(separator: ":", omittingEmptySubsequences: false)
    let numbers = parts.dropFirst().map { part in
      part.utf8.count == 4 && part.utf8.first != UInt8(ascii: "+") ? UInt16(part, radix: 16) : nil
    }
    guard parts.count <= 3, let subsystem = AccessorySubsystem(rawValue: String(parts[0])),
      !numbers.contains(nil)
    else { return nil }
    self.init(
      subsystem, vendor: numbers.first ?? nil, product: numbers.count == 2 ? numbers[1] : nil)
  }

  /// The text that is read as this value.
  public var description: String {
    let numbers = [vendor, product].compactMap(\.self).map { number in
      let digits = String(number, radix: 16)
      return ":" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return subsystem.rawValue + numbers.joined()
  }
}
