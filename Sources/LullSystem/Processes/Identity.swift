internal import CLinux
internal import Glibc

/// This process: its user, its number, its environment and its rights.
package enum Identity {
  /// By the kernel's number. See capabilities(7).
  package enum Capability: Int, Sendable {
    /// CAP_SYS_PTRACE: descriptors of anybody's processes.
    case systemPtrace = 19
    /// CAP_SYS_NICE: a lower nice value, and advice on the memory of others.
    case systemNice = 23
    /// CAP_WAKE_ALARM: timers that wake a suspended machine.
    case wakeAlarm = 35
  }

  /// The effective user.
  package static func uid() -> UInt32 { geteuid() }

  package static func pid() -> Int32 { getpid() }

  /// HOME, else the entry of the user database.
  package static func home() -> String? {
    if let home = environment("HOME"), !home.isEmpty { return home }
    var entry = unsafe passwd()
    var found: UnsafeMutablePointer<passwd>?
    var room = [CChar](repeating: 0, count: 16384)
    return unsafe room.withUnsafeMutableBufferPointer { room in
      guard let start = room.baseAddress,
        unsafe getpwuid_r(getuid(), &entry, start, room.count, &found) == 0,
        let directory = unsafe found?.pointee.pw_dir
      else { return nil }
      return unsafe String(cString: directory)
    }
  }

  /// Bytes that are not UTF-8 are replaced.
  package static func environment(_ name: String) -> String? {
    guard let value = unsafe getenv(name) else { return nil }
    return unsafe String(cString: value)
  }

  /// An empty variable counts for nothing: nil.
  package static func setting(_ name: String) -> String? {
    environment(name).flatMap { $0.isEmpty ? nil : $0 }
  }

  /// Every `NAME=value`, byte for byte. The corresponding C variable is `environ`.
  package static func allEnvironment() -> [[UInt8]] {
    var entries: [[UInt8]] = []
    var next = unsafe environ
    while let entry = unsafe next.pointee {
      unsafe entries.append(Array(UnsafeRawBufferPointer(start: entry, count: strlen(entry))))
      unsafe next += 1
    }
    return entries
  }

  package static func hasCapability(_ capability: Capability) -> Bool {
    let rights = (try? InfoText("/proc/self/status"))?.value("CapEff:", radix: 16) ?? 0
    return rights >> capability.rawValue & 1 == 1
  }
}
