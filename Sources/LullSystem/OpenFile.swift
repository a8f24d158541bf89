internal import CLinux
internal import Glibc

/// A descriptor of another process, as its link in `/proc` tells it.
public struct OpenFile: Hashable, Sendable {
  /// What a descriptor stands for.
  public enum Kind: Hashable, Sendable {
    /// A socket of any family.
    case socket(inode: UInt64)
    /// A pipe without a name.
    case pipe(inode: UInt64)
    /// An epoll descriptor.
    case epoll
    /// An eventfd.
    case event
    /// A timerfd.
    case timer
    /// A signalfd.
    case signals
    /// An inotify descriptor.
    case inotify
    /// A process descriptor.
    case pidfd
    /// An io_uring.
    case ring
    /// Another file of the kernel's own, by its name there, such as "[fanotify]".
    case anonymous(String)
    /// A file, device or named pipe.
    case path(String)
  }

  /// The number in that process.
  public let number: Int32
  /// What it stands for.
  public let kind: Kind
  /// False for what was opened for writing alone.
  public let isReadable: Bool
}

extension OpenFile.Kind: CustomStringConvertible {
  /// A word for the kind, or the path.
  public var description: String {
    switch self {
    case .socket: "socket"
    case .pipe: "pipe"
    case .epoll: "epoll"
    case .event: "eventfd"
    case .timer: "timerfd"
    case .signals: "signalfd"
    case .inotify: "inotify"
    case .pidfd: "pidfd"
    case .ring: "io_uring"
    case .anonymous(let name): name
    case .path(let path): path
    }
  }
}

extension Process {
  /// The descriptors of a process, in the order of their numbers. E2BIG (`isTooMany`): there are more than
  /// `limit`; ENOENT: no such process; EACCES: no ptrace right over it. The corresponding C functions are
  /// `readdir` and `readlinkat` of `/proc/PID/fd`.
  public static func openFiles(of pid: Int32, limit: Int) throws(SystemError) -> [OpenFile] {
    var entries = try NumberedEntries("/proc/\(pid)/fd")
    var files: [OpenFile] = []
    files.reserveCapacity(32)
    var link = ShortText()
    while let number = entries.next() {
      guard files.count < limit else { throw SystemError(code: E2BIG, call: "/proc/\(pid)/fd") }
      do {
        try link.readLink("\(number)", in: entries.raw)
      } catch {
        if error.isNoSuchFile { continue }
        throw error
      }
      let kind = OpenFile.Kind(link)
      files.append(
        OpenFile(number: number, kind: kind, isReadable: isReadable(number, kind, in: entries.raw)))
    }
    return files
  }

  /// The owner's permission bits of the link tell how the file was opened; a socket is always readable.
  private static func isReadable(_ number: Int32, _ kind: OpenFile.Kind, in directory: Int32) -> Bool {
    if case .socket = kind { return true }
    var status = stat()
    guard unsafe fstatat(directory, "\(number)", &status, AT_SYMLINK_NOFOLLOW) == 0 else { return true }
    return status.st_mode & S_IRUSR != 0
  }

  /// Whether two descriptors stand for the same open file; false where the kernel does not tell.
  /// The corresponding C function is `kcmp(KCMP_FILE)`.
  public static func sharesFile(
    _ one: (pid: Int32, number: Int32), _ other: (pid: Int32, number: Int32)
  ) -> Bool {
    clinux_same_file(one.pid, one.number, other.pid, other.number) == 0
  }

  /// Whether a timerfd of a process follows a clock that wakes a suspended machine.
  /// ENOENT: no such descriptor. The corresponding C function is `read` of `/proc/PID/fdinfo/N`.
  public static func isAlarmTimer(_ pid: Int32, number: Int32) throws(SystemError) -> Bool {
    let clock = try values("clockid:", in: "/proc/\(pid)/fdinfo/\(number)").first
    return clock == UInt64(CLOCK_REALTIME_ALARM) || clock == UInt64(CLOCK_BOOTTIME_ALARM)
  }

  /// The decimal numbers behind a key at the beginning of a line of a file.
  static func values(_ key: String, in path: String) throws(SystemError) -> [UInt64] {
    let lines = try Files.read(path, limit: 1 << 20).split(separator: UInt8(ascii: "\n"))
    return lines.filter { $0.starts(with: key.utf8) }.compactMap { line in
      let digits = line.dropFirst(key.utf8.count).drop { $0 <= UInt8(ascii: " ") }
      return UInt64(String(decoding: digits.prefix { $0 > UInt8(ascii: " ") }, as: UTF8.self))
    }
  }
}

extension OpenFile.Kind {
  /// Takes the text of a link apart, such as "socket:[4711]" or "anon_inode:[eventpoll]".
  init(_ link: borrowing ShortText) {
    if link.hasPrefix("socket:["), let inode = link.number(at: 8) {
      self = .socket(inode: inode)
    } else if link.hasPrefix("pipe:["), let inode = link.number(at: 6) {
      self = .pipe(inode: inode)
    } else if link.hasPrefix("anon_inode:") {
      self = OpenFile.Kind(anonymous: link)
    } else if link.hasPrefix("pidfd:[") {
      self = .pidfd
    } else {
      self = .path(link.string)
    }
  }

  private init(anonymous link: borrowing ShortText) {
    if link.hasPrefix("anon_inode:[eventpoll]") {
      self = .epoll
    } else if link.hasPrefix("anon_inode:[eventfd]") {
      self = .event
    } else if link.hasPrefix("anon_inode:[timerfd]") {
      self = .timer
    } else if link.hasPrefix("anon_inode:[signalfd]") {
      self = .signals
    } else if link.hasPrefix("anon_inode:inotify") {
      self = .inotify
    } else if link.hasPrefix("anon_inode:[pidfd]") {
      self = .pidfd
    } else if link.hasPrefix("anon_inode:[io_uring]") {
      self = .ring
    } else {
      self = .anonymous(String(link.string.dropFirst("anon_inode:".count)))
    }
  }
}
