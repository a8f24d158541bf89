import LullSystem
import LullWire
import TestSupport
import Testing

// A session of sound by hand: docs/PROTOCOL-SOUND.md.
extension StageHand {
  /// `sounds NAME FIELDS`: hands a ring and a doorbell over and opens a session.
  func openSession(_ name: String, _ fields: String) throws {
    let request = try Message.parse("session \(fields)")
    func number(_ key: Key) -> Int { request[key].flatMap { Int($0) } ?? 1 }
    let size = ["u8": 1, "s16": 2, "s24": 3][request[.format] ?? ""] ?? 4
    let bytes = number(.frames) * number(.channels) * size
    try order(name, "ring bytes=\(4096 + bytes)")
    let ring = values["\(name).fd"] ?? ""
    values["\(name).ring"] = ring
    try order(name, "noise fd=\(ring) bytes=\(bytes)")
    try order(name, "pair")
    values["\(name).bell"] = values["\(name).own"]
    try ask(name, "ring with \(ring)")
    try ask(name, "doorbell inode=\(values["\(name).inode"] ?? "") with \(values["\(name).fd"] ?? "")")
    try ask(name, "session \(fields)")
  }

  /// `plays NAME FRAMES [TRANSPORT]`: so many frames are written, and heard.
  func play(_ name: String, _ words: String) throws {
    let (frames, transport) = Self.cut(words)
    let ring = values["\(name).ring"] ?? ""
    // 1 as a float.
    try order(name, "store fd=\(ring) at=28 value=1065353216")
    try order(name, "store fd=\(ring) at=0 value=\(frames)")
    try order(name, "store fd=\(ring) at=24 value=\(transport.isEmpty ? "1" : transport)")
    try order(name, "write fd=\(values["\(name).bell"] ?? "") text=x")
  }
}
