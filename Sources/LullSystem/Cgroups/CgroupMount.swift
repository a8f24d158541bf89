internal import CLinux
internal import Glibc

/// The place of the v2 hierarchy. On a hybrid system that is not /sys/fs/cgroup.
package enum CgroupMount {
  /// ENOENT: no v2 hierarchy is mounted.
  package static func find() throws(SystemError) -> String {
    guard let path = mountPoint(in: try Files.read("/proc/self/mountinfo", limit: 1 << 24)) else {
      throw SystemError(code: ENOENT, call: "cgroup v2 mount")
    }
    return path
  }

  /// The path of this process below the mount point. The corresponding C function is `read` of
  /// `/proc/self/cgroup`.
  package static func ownPath() throws(SystemError) -> String {
    try Process.cgroupPath(file: "/proc/self/cgroup")
  }

  /// The first cgroup2 mount of a mountinfo text: the fifth field, where the type behind " - " is cgroup2.
  static func mountPoint(in mountinfo: [UInt8]) -> String? {
    for line in mountinfo.split(separator: UInt8(ascii: "\n")) {
      let fields = line.split(separator: UInt8(ascii: " "))
      guard let dash = fields.firstIndex(where: { $0.elementsEqual("-".utf8) }), dash > 4,
        dash + 1 < fields.count,
        fields[dash + 1].elementsEqual("cgroup2".utf8)
      else { continue }
      return String(decoding: withoutEscapes(fields[4]), as: UTF8.self)
    }
    return nil
  }

  /// The kernel writes space, tab, newline and backslash as a backslash and three octal digits.
  private static func withoutEscapes(_ field: ArraySlice<UInt8>) -> [UInt8] {
    var bytes: [UInt8] = []
    var rest = field
    while let byte = rest.popFirst() {
      let digits = rest.prefix(3)
      let octal =
        digits.count == 3 && digits.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "7")).contains($0) }
      guard byte == UInt8(ascii: "\\"), octal else {
        bytes.append(byte)
        continue
      }
      bytes.append(digits.reduce(0) { $0 &<< 3 | ($1 - UInt8(ascii: "0")) })
      rest = rest.dropFirst(3)
    }
    return bytes
  }
}

/// The cgroup of this process, for a caller that asks again and again.
package final class OwnCgroup {
  private static let name = "/proc/self/cgroup"
  private let file: DescriptorBox
  private let process: DescriptorBox
  private var buffer = ReceiveBuffer(capacity: 16_384)
  /// A cgroup of the v2 hierarchy keeps its path for life.
  private var known: (id: UInt64, path: String)?

  /// The corresponding C functions are `open` of `/proc/self/cgroup` and `pidfd_open`.
  package init() throws(SystemError) {
    file = DescriptorBox(try .opening(Self.name, O_RDONLY))
    process = DescriptorBox(try Process.pidfdOpen(getpid()))
  }

  /// The corresponding C functions are `ioctl(PIDFD_GET_INFO)` and, where the cgroup is another one than
  /// before or the kernel does not know this one, `pread` of `/proc/self/cgroup`.
  package func path() throws(SystemError) -> String {
    let before = id
    if let known, known.id == before { return known.path }
    let raw = file.raw
    try systemCall("pread \(Self.name)") {
      unsafe buffer.fill { room, count in unsafe pread(raw, room, count, 0) }
    }
    let path = try Process.cgroupPath(in: buffer.received, of: Self.name)
    // The race: the process was moved while its path was read.
    known = before.flatMap { $0 == id ? ($0, path) : nil }
    return path
  }

  private var id: UInt64? {
    var id: UInt64 = 0
    return unsafe clinux_pidfd_cgroup(process.raw, &id) == 1 ? id : nil
  }
}
