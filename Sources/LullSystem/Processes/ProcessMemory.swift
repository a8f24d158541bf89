internal import CLinux
internal import Glibc

package enum ProcessMemory {
  /// Large blocks of memory go back to the kernel as soon as they are free. By itself the allocator holds
  /// blocks of up to 32 MiB once one was freed.
  package static func givesBackLargeBlocks() { mallopt(M_MMAP_THRESHOLD, 1 << 18) }

  /// Reads exactly as many bytes as there is room for, from the memory of a thread; false when they are not
  /// all there, or the thread has ended. EPERM: no ptrace right over it.
  package static func read(
    _ address: UInt64, of thread: Int32, into room: UnsafeMutableRawBufferPointer
  ) throws(SystemError) -> Bool {
    guard address != 0 else { return false }
    if unsafe clinux_read_memory(thread, address, room.baseAddress, room.count) == 0 { return true }
    let error = SystemError("process_vm_readv")
    guard error.code == EFAULT || error.code == ESRCH else { throw error }
    return false
  }

  /// Other processes can share the memory at an address (MAP_SHARED); true also where there is no mapping any
  /// more. The corresponding C function is `ioctl(PROCMAP_QUERY)`.
  package static func isShared(_ address: UInt64, of pid: Int32) throws(SystemError) -> Bool {
    let maps = try Descriptor.opening("/proc/\(pid)/maps", O_RDONLY, call: "open maps")
    let answer = clinux_mapping_by_query(maps.raw, address)
    if answer >= 0 { return answer == 1 }
    // Before Linux 6.11 nobody answers.
    if errno == ENOENT { return true }
    return try MemoryMapping.all(of: pid).first { $0.range.contains(address) }?.isShared ?? true
  }

  /// The memory of a process in bytes, in the memory and in the swap, with its part of what it shares with
  /// others (PSS). The kernel walks through all of its pages for this, which takes milliseconds, and waits
  /// while the process changes its mappings. Where that is not permitted, all that is in memory is counted.
  /// ENOENT or ESRCH: it has ended. The corresponding C functions are `open` and `read` of
  /// `/proc/PID/smaps_rollup` or `/proc/PID/statm`.
  package static func share(of pid: Int32) throws(SystemError) -> Int64 {
    do {
      let text = try InfoText("/proc/\(pid)/smaps_rollup")
      let kilobytes = (text.value("Pss:") ?? 0) + (text.value("SwapPss:") ?? 0)
      return Int64(clamping: kilobytes) << 10
    } catch {
      guard error.isNotPermitted else { throw error }
      return Int64(clamping: try ProcessUsage.residentMemory(of: pid))
    }
  }
}
