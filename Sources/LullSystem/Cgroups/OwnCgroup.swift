internal import Glibc

/// The cgroup of this process, for a caller that asks again and again.
package final class OwnCgroup {
  private static let name = "/proc/self/cgroup"
  private let file: DescriptorBox
  private var buffer = ReceiveBuffer(capacity: 16_384)

  /// The corresponding C function is `open` of `/proc/self/cgroup`.
  package init() throws(SystemError) {
    let raw = try systemCall("open \(Self.name)") { unsafe open(Self.name, O_RDONLY | O_CLOEXEC) }
    file = DescriptorBox(Descriptor(owning: raw))
  }

  /// The cgroup's path below the mount point of the v2 hierarchy.
  package func path() throws(SystemError) -> String {
    let raw = file.raw
    try systemCall("pread \(Self.name)") {
      unsafe buffer.fill { room, count in unsafe pread(raw, room, count, 0) }
    }
    return try Process.cgroupPath(in: buffer.received, of: Self.name)
  }
}
