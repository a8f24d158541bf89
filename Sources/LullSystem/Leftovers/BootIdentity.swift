internal import Glibc

/// Where a process's number and start mean something: this boot of the machine, this namespace of processes.
enum BootIdentity {
  /// One word; nil where the kernel tells none. The corresponding C functions are `read` of
  /// `/proc/sys/kernel/random/boot_id` and `stat` of `/proc/self/ns/pid`.
  static func current() -> String? {
    var status = stat()
    guard let id = try? Files.read("/proc/sys/kernel/random/boot_id", limit: 64),
      unsafe stat("/proc/self/ns/pid", &status) == 0
    else { return nil }
    let word = id.prefix { $0 > UInt8(ascii: " ") }
    return "\(String(decoding: word, as: UTF8.self))-\(status.st_ino)"
  }
}
