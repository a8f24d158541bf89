internal import CLinux
internal import Glibc

/// Memory that two processes share: a memfd whose size can no longer change, mapped for reading and writing.
/// Unmapped when the owner ends.
@safe package final class SharedMemory {
  /// Page-aligned; valid while this object lives.
  package let base: UnsafeMutableRawPointer
  /// In bytes.
  package let count: Int

  private static let seals: Int32 = 0x1 | 0x2 | 0x4  // F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW

  /// New memory, all zero, and its descriptor to give away; the mapping stays without it. Sealed with
  /// F_SEAL_SHRINK, F_SEAL_GROW and F_SEAL_SEAL, so that the other side need not fear SIGBUS. The
  /// corresponding C functions are `memfd_create`, `ftruncate`, `fcntl(F_ADD_SEALS)` and `mmap`.
  package static func create(
    name: String, count: Int
  ) throws(SystemError) -> (memory: SharedMemory, descriptor: DescriptorBox) {
    let addSeals: Int32 = 1033  // F_ADD_SEALS
    let file = try Descriptor(owning: systemCall("memfd_create") { unsafe clinux_memfd(name) })
    try systemCall("ftruncate") { ftruncate(file.raw, count) }
    try systemCall("fcntl(F_ADD_SEALS)") { fcntl(file.raw, addSeals, seals) }
    let memory = try SharedMemory(mapping: file.raw, count: count)
    return (memory, DescriptorBox(file))
  }

  /// Memory that another process made; the descriptor is not needed afterwards. EINVAL: no memfd, or a memfd
  /// that lacks a seal or has another size. The corresponding C functions are `fcntl(F_GET_SEALS)`, `fstat`
  /// and `mmap`.
  package convenience init(received raw: Int32, count: Int) throws(SystemError) {
    guard try Self.isSealed(raw) else { throw SystemError(code: EINVAL, call: "seals of the memory") }
    try self.init(mapping: raw, count: count)
  }

  /// True for a memfd with all the seals of ``create(name:count:)``. EINVAL: no memfd.
  package static func isSealed(_ raw: Int32) throws(SystemError) -> Bool {
    let found = try systemCall("fcntl(F_GET_SEALS)", on: .foreign) { clinux_seals(raw) }
    return found & seals == seals
  }

  /// The whole of a memfd inherited from the parent process, which is trusted: its seals do not matter. The
  /// corresponding C functions are `fstat` and `mmap`.
  package convenience init(inherited raw: Int32) throws(SystemError) {
    try self.init(mapping: raw, count: Self.size(raw))
  }

  private init(mapping raw: Int32, count: Int) throws(SystemError) {
    guard count > 0, try Self.size(raw) == count else {
      throw SystemError(code: EINVAL, call: "size of the memory")
    }
    let address = unsafe mmap(nil, count, PROT_READ | PROT_WRITE, MAP_SHARED, raw, 0)
    guard let address = unsafe address, unsafe address != MAP_FAILED else { throw SystemError("mmap") }
    unsafe base = address
    self.count = count
  }

  private static func size(_ raw: Int32) throws(SystemError) -> Int {
    Int(try openFileStatus(raw, on: .foreign).st_size)
  }

  deinit {
    unsafe munmap(base, count)
  }
}
