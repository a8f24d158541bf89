internal import CLinux
internal import Glibc

/// The mappings of a process's memory.
enum Mapping {
  /// Whether what stands at an address can be shared with other processes (MAP_SHARED); also where there is
  /// no mapping any more. The corresponding C function is `ioctl(PROCMAP_QUERY)`.
  static func isShared(_ pid: Int32, at address: UInt64) throws(SystemError) -> Bool {
    let maps = try Descriptor(
      owning: systemCall("open maps") { unsafe open("/proc/\(pid)/maps", O_RDONLY | O_CLOEXEC) })
    let answer = clinux_mapping_by_query(maps.raw, address)
    if answer >= 0 { return answer == 1 }
    return errno == ENOENT || clinux_mapping_by_text(maps.raw, address) != 0
  }
}
