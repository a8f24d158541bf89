import Glibc
import LullSystem
import Testing

/// A place for the memory of sleepers: the machine's own, or a zram device for the time of a test. One test
/// has it at a time: `swapoff` at the end of another one would bring its pages back.
package final class TestSwap {
  private static let control = "/sys/class/zram-control"
  private static let size: UInt64 = 1 << 28

  /// Nil where no device can be made.
  private let turn: Descriptor?
  /// The device that the test has made.
  private let device: String?

  /// True where the machine has swap, or lets a device be made.
  package static var isPossible: Bool {
    guard !isThere else { return true }
    return unsafe access("\(control)/hot_add", R_OK) == 0
  }

  private static var isThere: Bool { ((try? SwapSpace.current())?.free ?? 0) >= size }

  package init() throws {
    turn = try Self.waitForTurn()
    guard !Self.isThere else {
      device = nil
      return
    }
    // Reading the file makes the device.
    let text = String(decoding: try Files.read("\(Self.control)/hot_add", limit: 64), as: UTF8.self)
    let number = try #require(Int(text.prefix { $0.isNumber }), "no zram device: \(text)")
    let made = "/dev/zram\(number)"
    device = made
    try Self.write("\(Self.size)", to: "/sys/block/zram\(number)/disksize")
    try Self.run(["mkswap", made])
    try Self.run(["swapon", made])
  }

  deinit {
    guard let device else { return }
    try? Self.run(["swapoff", device])
    try? Self.write(String(device.drop { !$0.isNumber }), to: "\(Self.control)/hot_remove")
  }

  /// Closing the descriptor ends the turn.
  private static func waitForTurn() throws -> Descriptor? {
    let raw = unsafe open(control, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    guard raw >= 0 else { return nil }
    let folder = Descriptor(owning: raw)
    try #require(flock(folder.raw, LOCK_EX) == 0, "\(control) cannot be locked")
    return folder
  }

  private static func run(_ words: [String]) throws {
    let child = try ConnectedChild(words)
    let complaint = try child.errors.untilEnd()
    try #require(try child.end() == .exited(0), "\(words): \(complaint)")
  }

  private static func write(_ text: String, to path: String) throws {
    let raw = unsafe open(path, O_WRONLY | O_CLOEXEC)
    try #require(raw >= 0, "\(path) cannot be written")
    let file = Descriptor(owning: raw)
    try StandardStreams.write(Array(text.utf8), to: file.raw)
  }
}
