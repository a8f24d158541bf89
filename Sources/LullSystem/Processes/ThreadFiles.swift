internal import Glibc

/// The files of `/proc/PID/task` of one process. Some stay open between two looks, which saves the
/// kernel the walk to each.
package final class ThreadFiles {
  package enum File: String {
    case call = "syscall"
    case status
    case name = "comm"
    case turns = "schedstat"
  }

  private struct Kept {
    let thread: Int32
    let file: File
    let descriptor: DescriptorBox
  }

  package let pid: Int32
  /// How long, in nanoseconds, a read waits for a thread that was inspected with ptrace a moment ago: it runs
  /// in the kernel until it is back in the freezer.
  package let patience: Int64
  private let most: Int
  private var directory: DescriptorBox?
  private var kept: [Kept] = []

  /// At most so many files stay open, besides the directory. Nothing is opened yet.
  package init(of pid: Int32, keeping most: Int = 0, patience: Int64 = 0) {
    (self.pid, self.most, self.patience) = (pid, most, patience)
  }

  package var openCount: Int { kept.count + (directory == nil ? 0 : 1) }

  /// In the kernel's order. ENOENT: the process has ended. The corresponding C function is `getdents64`.
  package func threads() throws(SystemError) -> [Int32] {
    if let directory {
      let threads = Self.list(directory)
      kept.removeAll { !threads.contains($0.thread) }
      if !threads.isEmpty { return threads }
      // The race: the process has ended, and its number may be that of another one.
      self.directory = nil
    }
    return Self.list(try opened())
  }

  private static func list(_ directory: DescriptorBox) -> [Int32] {
    var entries = NumberedEntries(again: directory)
    return entries.rest()
  }

  private func opened() throws(SystemError) -> DescriptorBox {
    if let directory { return directory }
    let opened = DescriptorBox(try Files.openDirectory("/proc/\(pid)/task"))
    directory = opened
    return opened
  }

  /// ENOENT or ESRCH: the thread has ended. The corresponding C functions are `openat` and `pread`.
  package func read(_ file: File, of thread: Int32, _ room: inout ShortText) throws(SystemError) {
    try withFile(file, of: thread) { (raw) throws(SystemError) in try room.read(again: raw) }
  }

  /// ENOENT or ESRCH: the thread has ended. The corresponding C functions are `openat` and `pread`.
  package func signals(of thread: Int32) throws(SystemError) -> ThreadSignals {
    try withFile(.status, of: thread) { (raw) throws(SystemError) in
      ThreadSignals(try InfoText(again: raw))
    }
  }

  private func withFile<Result>(
    _ file: File, of thread: Int32, _ read: (Int32) throws(SystemError) -> Result
  ) throws(SystemError) -> Result {
    if let place = kept.firstIndex(where: { $0.thread == thread && $0.file == file }) {
      do {
        return try read(kept[place].descriptor.raw)
      } catch {
        // The race: the thread has ended, and its number may be that of another one.
        guard error.isNoSuchProcess else { throw error }
        kept.remove(at: place)
      }
    }
    let (folder, path) = (try opened().raw, "\(thread)/\(file.rawValue)")
    let descriptor = DescriptorBox(
      Descriptor(owning: try systemCall("open") { unsafe openat(folder, path, O_RDONLY | O_CLOEXEC) }))
    if kept.count < most { kept.append(Kept(thread: thread, file: file, descriptor: descriptor)) }
    return try read(descriptor.raw)
  }
}
