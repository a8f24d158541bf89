internal import CLinux
internal import Glibc

package struct ResourceLimit: Equatable, Sendable {
  /// The kernel's number of the resource (RLIMIT_CPU is 0).
  package let resource: Int32
  /// `UInt64.max`: no limit.
  package let soft: UInt64
  package let hard: UInt64

  package init(resource: Int32, soft: UInt64, hard: UInt64) {
    (self.resource, self.soft, self.hard) = (resource, soft, hard)
  }

  package static let resources: Range<Int32> = 0..<16

  package static func all() throws(SystemError) -> [ResourceLimit] {
    var limits: [ResourceLimit] = []
    for resource in resources { limits.append(try of(resource)) }
    return limits
  }

  static func of(_ resource: Int32) throws(SystemError) -> ResourceLimit {
    var limit = rlimit()
    try systemCall("getrlimit") { unsafe getrlimit(__rlimit_resource_t(UInt32(resource)), &limit) }
    return ResourceLimit(resource: resource, soft: UInt64(limit.rlim_cur), hard: UInt64(limit.rlim_max))
  }

  /// EPERM: the hard limit would rise.
  package func set() throws(SystemError) {
    var limit = rlimit(rlim_cur: rlim_t(soft), rlim_max: rlim_t(hard))
    try systemCall("setrlimit") { unsafe setrlimit(__rlimit_resource_t(UInt32(resource)), &limit) }
  }

  /// EPERM: the hard limit would rise, or the process is somebody else's.
  package func set(of pid: Int32) throws(SystemError) {
    try systemCall("prlimit") { clinux_set_limit(pid, resource, soft, hard) }
  }
}

/// The permissions that new files of this process do not get.
package enum FileCreationMask {
  /// Returns the mask from before.
  @discardableResult
  package static func set(_ mask: UInt32) -> UInt32 { UInt32(umask(mode_t(mask))) }

  /// The mask. It is set to 0777 and back, so no other thread may make a file meanwhile. The corresponding C
  /// function is `umask`.
  package static func current() -> UInt32 {
    let mask = set(0o777)
    set(mask)
    return mask
  }
}

package enum ResourceLimits {
  /// The number of descriptors that this process may have open (the soft limit). The corresponding C function
  /// is `getrlimit(RLIMIT_NOFILE)`.
  package static func openFiles() throws(SystemError) -> Int {
    try Int(clamping: files().soft)
  }

  /// The number to which ``raiseOpenFiles()`` can raise it (the hard limit). The corresponding C function is
  /// `getrlimit(RLIMIT_NOFILE)`.
  package static func mostOpenFiles() throws(SystemError) -> Int {
    try Int(clamping: files().hard)
  }

  /// Raises the soft limit of open files to the hard one, and returns it. Programs that are spawned
  /// afterwards should get the old one back (`SpawnRequest.openFileLimit`).
  @discardableResult
  package static func raiseOpenFiles() throws(SystemError) -> Int {
    let most = try files().hard
    try ResourceLimit(resource: resource, soft: most, hard: most).set()
    return Int(clamping: most)
  }

  private static let resource = Int32(RLIMIT_NOFILE.rawValue)

  private static func files() throws(SystemError) -> ResourceLimit { try .of(resource) }
}
