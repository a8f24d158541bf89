package import LullSystem

package struct OpenFile: Hashable, Sendable {
  package enum Kind: Hashable, Sendable {
    case socket(inode: UInt64)
    case pipe(inode: UInt64)
    case epoll
    case event
    case timer
    case signals
    case inotify
    case pidfd
    case ring
    /// Another file without a path, by the kernel's name for it, such as "[fanotify]".
    case anonymous(String)
    /// A file, device or named pipe.
    case path(String)
  }

  package let number: Int32
  package let kind: Kind
  /// False: it was opened for writing alone.
  package let isReadable: Bool
  /// False: it was opened for reading alone.
  package let isWritable: Bool

  package init(number: Int32, kind: Kind, isReadable: Bool = true, isWritable: Bool = true) {
    self.number = number
    self.kind = kind
    self.isReadable = isReadable
    self.isWritable = isWritable
  }

  /// The owner's permission bits of the link tell how the file was opened; a socket is open for both.
  fileprivate init(number: Int32, kind: Kind, link: (read: Bool, write: Bool)) {
    if case .socket = kind {
      self.init(number: number, kind: kind)
    } else {
      self.init(number: number, kind: kind, isReadable: link.read, isWritable: link.write)
    }
  }

  /// ENOENT: the number is not open; EACCES: no ptrace right over the process. The corresponding C function
  /// is `readlink` of `/proc/PID/fd/N`.
  package static func kind(of number: Int32, in pid: Int32) throws(SystemError) -> Kind {
    var link = ShortText()
    try link.readLink("/proc/\(pid)/fd/\(number)")
    return Kind(link)
  }
}

extension OpenFile.Kind: CustomStringConvertible {
  package var description: String {
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
  package static func openFiles(of pid: Int32, limit: Int) throws(SystemError) -> [OpenFile] {
    var entries = try NumberedEntries("/proc/\(pid)/fd")
    var files: [OpenFile] = []
    files.reserveCapacity(32)
    var link = ShortText()
    while let number = entries.next() {
      guard files.count < limit else { throw .tooMany("/proc/\(pid)/fd") }
      do {
        try link.readLink("\(number)", in: entries.raw)
      } catch {
        if error.isNoSuchFile { continue }
        throw error
      }
      files.append(OpenFile(number: number, kind: OpenFile.Kind(link), link: entries.ownerMay(number)))
    }
    return files
  }
}

extension OpenFile.Kind {
  /// The text is such as "socket:[4711]" or "anon_inode:[eventpoll]".
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

  private static let named: [(link: StaticString, kind: Self)] = [
    ("anon_inode:[eventpoll]", .epoll), ("anon_inode:[eventfd]", .event), ("anon_inode:[timerfd]", .timer),
    ("anon_inode:[signalfd]", .signals), ("anon_inode:inotify", .inotify), ("anon_inode:[pidfd]", .pidfd),
    ("anon_inode:[io_uring]", .ring),
  ]

  private init(anonymous link: borrowing ShortText) {
    for one in Self.named where link.hasPrefix(one.link) {
      self = one.kind
      return
    }
    self = .anonymous(String(link.string.dropFirst("anon_inode:".count)))
  }
}
