import LullSystem

/// What the kernel says of a device, `KEY=VALUE` by `KEY=VALUE`: in a message, or in the file `uevent` of the
/// device.
struct Uevent {
  let fields: [(key: String, value: String)]

  init(message: ArraySlice<UInt8>) { self.init(message.split(separator: 0)) }

  init(_ lines: [ArraySlice<UInt8>]) {
    fields = lines.compactMap { line in
      let parts = String(decoding: line, as: UTF8.self).split(
        separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return parts.count == 2 ? (String(parts[0]), String(parts[1])) : nil
    }
  }

  /// The devices of a folder such as `/sys/class/power_supply`, by their names.
  static func all(in folder: String) -> [(name: String, device: Uevent)] {
    guard let entries = try? Files.entries(of: Array(folder.utf8)) else { return [] }
    return entries.compactMap { entry in
      let name = String(decoding: entry.name, as: UTF8.self)
      guard let text = try? Files.read("\(folder)/\(name)/uevent", limit: 1 << 16) else { return nil }
      return (name, Uevent(text.split(separator: UInt8(ascii: "\n"))))
    }
  }

  subscript(key: String) -> String? { fields.first { $0.key == key }?.value }

  /// The last component of the device's path: its name.
  var name: String? { self["DEVPATH"]?.split(separator: "/").last.map { String($0) } }

  var isRemoval: Bool { self["ACTION"] == "remove" }
}
