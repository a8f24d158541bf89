import Glibc

/// The wake lock `lull` of the kernel (`/sys/power/wake_lock`): while it is held, the machine does not fall
/// asleep by itself, as phones do (Documentation/ABI/testing/sysfs-power). What another lulld left held is
/// let go of at the start.
package struct WakeLock {
  private static let name = Array("lull".utf8)
  private let lock: DescriptorBox
  private let unlock: DescriptorBox

  /// The wake lock below `folder`; nil for a kernel without wake locks, or without the right to hold one
  /// (CAP_BLOCK_SUSPEND).
  package init?(folder: String = "/sys/power") {
    guard let lock = Self.open("\(folder)/wake_lock"), let unlock = Self.open("\(folder)/wake_unlock") else {
      return nil
    }
    (self.lock, self.unlock) = (lock, unlock)
    letGo()
  }

  /// Holds the machine up; a lock that is held already stays as it is. False: the kernel refuses it.
  @discardableResult package func hold() -> Bool { Self.write(lock.raw) }

  package func letGo() { _ = Self.write(unlock.raw) }

  private static func open(_ path: String) -> DescriptorBox? {
    let raw = unsafe Glibc.open(path, O_WRONLY | O_CLOEXEC)
    return raw < 0 ? nil : DescriptorBox(Descriptor(owning: raw))
  }

  private static func write(_ raw: Int32) -> Bool {
    unsafe pwrite(raw, name, name.count, 0) == name.count
  }
}
