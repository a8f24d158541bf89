import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct FileVersionTests {
  @Test func `a version differs after a change, and for another file in the same place`() throws {
    let folder = try TemporaryDirectory()
    let path = try folder.file("settings")
    let first = FileVersion(path)
    #expect(first != nil && first == FileVersion(path))
    let file = try Files.openAtEnd(Array(path.utf8), mode: 0o600)
    try StandardStreams.write([1], to: file.raw)
    let second = FileVersion(path)
    #expect(second != first)
    try Files.rename(try folder.file("other"), to: path)
    #expect(FileVersion(path) != first && FileVersion(path) != second)
    #expect(FileVersion("\(folder.path)/none") == nil)
  }

  @Test func `a socket for the messages of devices has none to read at first, and tells of no device`() throws
  {
    let socket = try UeventSocket()
    var buffer = ReceiveBuffer(capacity: 16_384)
    while try socket.read(into: &buffer) == .message {}
    #expect(try socket.read(into: &buffer) != .overrun)
  }

  @Test func `a trigger on a file that is not there is refused`() {
    #expect(throws: SystemError.self) {
      _ = try PressureTrigger.open("/none", .some, stall: 200_000, window: 2_000_000)
    }
  }
}
