internal import CLinux
internal import Glibc

extension Files {
  /// A file in memory with these bytes, sealed: it never changes.
  package static func memoryFile(name: String, _ bytes: [UInt8]) throws(SystemError) -> Descriptor {
    let file = try Descriptor(owning: systemCall("memfd_create") { unsafe clinux_memfd(name) })
    try StandardStreams.write(bytes, to: file.raw)
    try systemCall("fcntl(F_ADD_SEALS)") { clinux_seal(file.raw) }
    return file
  }

  /// The size of a file in memory that came from another process. EINVAL: any other file; EFBIG: more than
  /// `limit` bytes.
  @discardableResult
  package static func memoryFileSize(_ raw: Int32, limit: Int) throws(SystemError) -> Int {
    try systemCall("fcntl(F_GET_SEALS)", on: .foreign) { clinux_seals(raw) }
    let size = try openFileStatus(raw, on: .foreign).st_size
    guard size <= limit else { throw SystemError(code: EFBIG, call: "memory file") }
    return Int(size)
  }

  /// The whole of a file in memory that came from another process, from its start whatever its offset is.
  /// EINVAL: any other file, because reading a pipe or a network file could block; EFBIG: more than `limit`
  /// bytes. The corresponding C functions are `fcntl(F_GET_SEALS)`, `fstat` and `pread`.
  package static func readMemoryFile(_ raw: Int32, limit: Int) throws(SystemError) -> [UInt8] {
    let size = try memoryFileSize(raw, limit: limit)
    // An unsealed file can become shorter between the two calls.
    return try read(raw, at: 0, count: size)
  }
}
