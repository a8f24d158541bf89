internal import Glibc

/// Changes of files as a descriptor: readable when something that is watched has changed.
package struct FileWatch: ~Copyable {
  package struct Change: OptionSet, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }
    /// Bytes were written (IN_MODIFY).
    package static let written = Change(rawValue: 0x002)
    /// A name in a folder came or went (IN_MOVED_FROM, IN_MOVED_TO, IN_CREATE, IN_DELETE).
    package static let names = Change(rawValue: 0x040 | 0x080 | 0x100 | 0x200)
    /// A file of a folder was written and closed (IN_CLOSE_WRITE).
    package static let finished = Change(rawValue: 0x008)
    /// The mode or the owner of a file, or of one in a folder, has changed (IN_ATTRIB).
    package static let attributes = Change(rawValue: 0x004)
    /// A file of a folder was renamed or removed (IN_MOVED_FROM, IN_MOVED_TO, IN_DELETE).
    package static let moved = Change(rawValue: 0x040 | 0x080 | 0x200)
  }

  private let descriptor: Descriptor

  /// Watches nothing yet. EMFILE: the user has too many.
  package init() throws(SystemError) {
    let flags = Int32(0x80000 | 0x800)  // IN_CLOEXEC, IN_NONBLOCK
    descriptor = try Descriptor(owning: systemCall("inotify_init1") { inotify_init1(flags) })
  }

  package var raw: Int32 { descriptor.raw }

  /// The same file or folder again changes what is watched for. ENOENT: there is none.
  package func add(_ path: String, _ changes: Change) throws(SystemError) {
    let own = descriptor.raw
    try systemCall("inotify_add_watch") { unsafe inotify_add_watch(own, path, changes.rawValue) }
  }

  package func drain() throws(SystemError) {
    var room = ReceiveBuffer(capacity: 4096)
    while case .bytes = try StandardStreams.read(descriptor.raw, into: &room) {}
  }
}
