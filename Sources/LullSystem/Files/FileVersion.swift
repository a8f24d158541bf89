internal import Glibc

/// The state of a file: it differs after each change of its content, and after another file took its place.
package struct FileVersion: Hashable, Sendable {
  private let identity: FileIdentity
  package let size: Int64
  /// In nanoseconds since 1970.
  package let modified: Int64

  /// Links are followed; nil when there is no file.
  package init?(_ path: String) {
    var status = stat()
    guard unsafe stat(path, &status) == 0 else { return nil }
    identity = FileIdentity(status)
    size = Int64(status.st_size)
    modified = Int64(status.st_mtim.tv_sec) &* 1_000_000_000 &+ Int64(status.st_mtim.tv_nsec)
  }
}
