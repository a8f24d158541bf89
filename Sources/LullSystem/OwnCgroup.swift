internal import Glibc

/// The cgroup in which this process is, asked for again and again.
public final class OwnCgroup {
  private static let name = "/proc/self/cgroup"
  private let file: DescriptorBox
  private var buffer = ReceiveBuffer(capacity: 16_384)

  /// The corresponding C function is `open` of `/proc/self/cgroup`.
  public init() throws(SystemError) {
    let raw = try systemCall("open \(Self.name)") { unsafe open(Self.name, O_RDONLY | O_CLOEXEC) }
    file = DescriptorBox(Descriptor(owning: raw))
  }

  /// Its path below the mount point of the v2 hierarchy. The corresponding C function is `pread`.
  public func path() throws(SystemError) -> String {
    let raw = file.raw
    try systemCall("pread \(Self.name)") {
      unsafe buffer.fill { room, count in unsafe pread(raw, room, count, 0) }
    }
    return try Process.cgroupPath(in: buffer.received, of: Self.name)
  }
}
