internal import Glibc

/// A cgroup of the v2 hierarchy. The files for freezing and thawing, and the list of processes, are opened
/// once, so that a wake is a single write.
package final class Cgroup: Sendable {
  package let path: String
  private let directoryDescriptor: Descriptor
  private let freezeDescriptor: Descriptor
  private let eventsDescriptor: Descriptor
  private let processesDescriptor: Descriptor

  private init(path: String) throws(SystemError) {
    self.path = path
    directoryDescriptor = try Files.openDirectory(path)
    freezeDescriptor = try Cgroup.open(path, file: "cgroup.freeze", flags: O_RDWR)
    eventsDescriptor = try Cgroup.open(path, file: "cgroup.events", flags: O_RDONLY)
    processesDescriptor = try Cgroup.open(path, file: "cgroup.procs", flags: O_RDONLY)
  }

  /// Makes a cgroup below an existing one, or takes the one that is there. ENOENT: no parent; EACCES, EPERM
  /// or EROFS: not permitted.
  package static func create(at path: String) throws(SystemError) -> Cgroup {
    var isNew = true
    do {
      try systemCall("mkdir \(path)") { unsafe mkdir(path, 0o755) }
    } catch {
      guard error.isExisting else { throw error }
      isNew = false
    }
    do throws(SystemError) {
      return try Cgroup(path: path)
    } catch {
      if isNew { _ = unsafe rmdir(path) }
      throw error
    }
  }

  package static func open(at path: String) throws(SystemError) -> Cgroup {
    try Cgroup(path: path)
  }

  /// A descriptor of the directory, for `SpawnRequest.cgroup`.
  package var directory: Int32 { directoryDescriptor.raw }

  var processesFile: Int32 { processesDescriptor.raw }

  /// A descriptor of `cgroup.events`, which has priority readiness when `state` changes. The kernel delays
  /// that event by up to 10 ms: read `state` again rather than wait for the event.
  package var events: Int32 { eventsDescriptor.raw }

  /// Asks for the freeze, which is complete when `state` says so. The corresponding C function is `write` of
  /// `cgroup.freeze`.
  package func freeze() throws(SystemError) {
    try writeFreeze(UInt8(ascii: "1"))
  }

  /// Lets the processes run again, or takes an unfinished freeze back. A child that was frozen itself stays
  /// frozen. The corresponding C function is `write` of `cgroup.freeze`.
  package func thaw() throws(SystemError) {
    try writeFreeze(UInt8(ascii: "0"))
  }

  /// Somebody has asked for the freeze of this cgroup. A freeze of its ancestors does not count.
  package func isFreezeAsked() throws(SystemError) -> Bool {
    var value: UInt8 = 0
    let raw = freezeDescriptor.raw
    try systemCall("cgroup.freeze") { unsafe pread(raw, &value, 1, 0) }
    return value == UInt8(ascii: "1")
  }

  private func writeFreeze(_ value: UInt8) throws(SystemError) {
    var value = value
    let raw = freezeDescriptor.raw
    try systemCall("cgroup.freeze") { unsafe pwrite(raw, &value, 1, 0) }
  }

  /// `populated`: a process lives in the cgroup or below; `frozen`: all of them are frozen.
  package func state() throws(SystemError) -> (populated: Bool, frozen: Bool) {
    var room = InlineArray<64, UInt8>(repeating: 0)
    let raw = eventsDescriptor.raw
    let count = try systemCall("cgroup.events") {
      var bytes = room.mutableSpan
      return unsafe bytes.withUnsafeMutableBytes { unsafe pread(raw, $0.baseAddress, $0.count, 0) }
    }
    return Cgroup.parse(room.span.extracting(0..<count))
  }

  /// Reads "populated 1\nfrozen 0\n" in place: each flag is the byte before its line's end.
  static func parse(_ text: Span<UInt8>) -> (populated: Bool, frozen: Bool) {
    var (populated, frozen, start) = (false, false, 0)
    for index in text.indices where text[index] == UInt8(ascii: "\n") {
      let set = index > start && text[index - 1] == UInt8(ascii: "1")
      switch text[start] {
      case UInt8(ascii: "p"): populated = set
      case UInt8(ascii: "f"): frozen = set
      default: break
      }
      start = index + 1
    }
    return (populated, frozen)
  }

  static func open(_ path: String, file: String, flags: Int32) throws(SystemError) -> Descriptor {
    try .opening("\(path)/\(file)", flags)
  }
}
