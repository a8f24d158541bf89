internal import CSystemd

extension BusMessage {
  func append(_ value: BusValue) {
    switch value {
    case .string(let text): unsafe text.withCString { unsafe appendBasic("s", $0) }
    case .objectPath(let path): unsafe path.withCString { unsafe appendBasic("o", $0) }
    case .bool(let flag): unsafe withUnsafePointer(to: Int32(flag ? 1 : 0)) { unsafe appendBasic("b", $0) }
    case .byte(let number): unsafe withUnsafePointer(to: number) { unsafe appendBasic("y", $0) }
    case .int32(let number): unsafe withUnsafePointer(to: number) { unsafe appendBasic("i", $0) }
    case .uint32(let number): unsafe withUnsafePointer(to: number) { unsafe appendBasic("u", $0) }
    case .int64(let number): unsafe withUnsafePointer(to: number) { unsafe appendBasic("x", $0) }
    case .double(let number): unsafe withUnsafePointer(to: number) { unsafe appendBasic("d", $0) }
    case .strings(let texts):
      appending("a", contents: "s") { for text in texts { append(.string(text)) } }
    case .dictionary(let entries):
      appending("a", contents: "{sv}") {
        for (key, value) in entries {
          appending("e", contents: "sv") {
            append(.string(key))
            append(.variant(value))
          }
        }
      }
    case .variant(let value): appending("v", contents: value.signature) { append(value) }
    }
  }

  private func appending(_ type: Unicode.Scalar, contents: String, _ body: () -> Void) {
    guard unsafe sd_bus_message_open_container(raw, CChar(type), contents) >= 0 else { return }
    body()
    _ = unsafe sd_bus_message_close_container(raw)
  }

  private func appendBasic(_ type: Unicode.Scalar, _ value: UnsafeRawPointer) {
    _ = unsafe sd_bus_message_append_basic(raw, CChar(type), value)
  }
}
