extension Process {
  /// The process has 32-bit words (x32 too) on a 64-bit kernel, by the width of the kernel's own notes for
  /// its program; false when they cannot be read. The file of the program could be on a disk that makes the
  /// reader wait.
  package static func isNarrow(_ pid: Int32) -> Bool {
    #if _pointerBitWidth(_64)
      var text = ShortText()
      guard (try? text.read("/proc/\(pid)/auxv")) != nil, text.count >= 8 else { return false }
      // The type of the first note, a small number, or its type and its value.
      var note: UInt64 = 0
      for index in 0..<8 { note = note << 8 | UInt64(text.bytes[index]) }
      return note.bigEndian >> 32 != 0
    #else
      return false
    #endif
  }
}
