internal import Glibc

extension Cgroup {
  package enum Weight: String, CaseIterable, Sendable {
    case processor = "cpu.weight"
    case disks = "io.weight"
  }

  /// The weight of the cgroup among its neighbours, from 1 to 10000; nil where the controller is not enabled.
  /// The corresponding C functions are `openat` and `read`.
  package func weight(_ weight: Weight) -> Int? {
    guard let text = try? Files.read(weight.rawValue, in: directory, limit: 1 << 12) else { return nil }
    // `io.weight` begins with the word "default", and may name devices on further lines.
    let line = text.prefix { $0 != UInt8(ascii: "\n") }
    return line.split(separator: UInt8(ascii: " ")).last.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
  }

  /// ENOENT: the controller is not enabled.
  package func setWeight(_ weight: Weight, to value: Int) throws(SystemError) {
    try write(weight.rawValue, "\(value)")
  }
}
