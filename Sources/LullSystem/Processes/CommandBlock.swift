/// Arguments and environment in one piece, as `lull run` hands them over: strings that end with NUL, first
/// the arguments. The block costs their bytes and four for each string.
package struct CommandBlock: Sendable {
  package let argumentCount: Int
  private let bytes: [UInt8]
  private let starts: [UInt32]

  package var count: Int { starts.count }

  /// The size that the kernel counts against its limit: the bytes and a pointer to each string.
  package var kernelSize: Int { bytes.count + count * MemoryLayout<UInt>.size }

  /// Bytes behind the last NUL are left out. `argumentCount` is not checked.
  package init(_ bytes: [UInt8], argumentCount: Int) {
    var starts: [UInt32] = []
    var start = 0
    for index in bytes.indices where bytes[index] == 0 {
      starts.append(UInt32(truncatingIfNeeded: start))
      start = index + 1
    }
    (self.bytes, self.starts, self.argumentCount) = (bytes, starts, argumentCount)
  }

  /// Without its NUL.
  package subscript(_ index: Int) -> ArraySlice<UInt8> {
    bytes[Int(starts[index])...].prefix { $0 != 0 }
  }
}

/// Byte strings for C: each with a NUL, and pointers to them with a NULL at the end.
struct CStringList {
  private let bytes: [UInt8]
  private let starts: [UInt32]

  init(_ strings: [[UInt8]]) {
    var (bytes, starts): ([UInt8], [UInt32]) = ([], [])
    for string in strings {
      starts.append(UInt32(truncatingIfNeeded: bytes.count))
      bytes += string
      bytes.append(0)
    }
    (self.bytes, self.starts) = (bytes, starts)
  }

  func withPointers(_ body: (UnsafePointer<UnsafeMutablePointer<CChar>?>?) -> Int32) -> Int32 {
    unsafe bytes.withUnsafeBytes { bytes in
      // The kernel copies the strings; a child writes to its own copy of this memory at most.
      let base = unsafe UnsafeMutableRawPointer(mutating: bytes.baseAddress)?.assumingMemoryBound(
        to: CChar.self)
      var pointers = unsafe starts.map { start in unsafe base.map { unsafe $0 + Int(start) } }
      unsafe pointers.append(nil)
      return unsafe pointers.withUnsafeBufferPointer { unsafe body($0.baseAddress) }
    }
  }
}
