package struct MachineMemory: Equatable, Sendable {
  /// In bytes.
  package let total: UInt64
  /// The bytes that programs can still get without a wait for swap, by the kernel's estimate.
  package let available: UInt64

  /// `root` is a folder in the place of `/`. ENOENT: the kernel does not tell. The corresponding C functions
  /// are `open` and `read` of `/proc/meminfo`.
  package static func current(root: String = "") throws(SystemError) -> MachineMemory {
    guard let memory = MachineMemory(try InfoText("\(root)/proc/meminfo")) else {
      throw .missing("MemAvailable in \(root)/proc/meminfo")
    }
    return memory
  }

  /// For example `MemAvailable:   16384256 kB`; nil for a text without such lines.
  init?(_ text: InfoText) {
    guard let total = text.value("MemTotal:"), let available = text.value("MemAvailable:"), total > 0 else {
      return nil
    }
    (self.total, self.available) = (total &* 1024, available &* 1024)
  }
}

/// Swap, which may be compressed memory (zram).
package struct SwapSpace: Equatable, Sendable {
  /// In bytes; 0 without swap.
  package let total: UInt64
  package let free: UInt64

  package static func current() throws(SystemError) -> SwapSpace {
    SwapSpace(try InfoText("/proc/meminfo"))
  }

  /// For example `SwapFree:        1048572 kB`.
  init(_ text: InfoText) {
    (total, free) = ((text.value("SwapTotal:") ?? 0) &* 1024, (text.value("SwapFree:") ?? 0) &* 1024)
  }
}
