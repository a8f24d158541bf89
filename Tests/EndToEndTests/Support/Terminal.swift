import Glibc
import LullSystem
import TestSupport
import Testing

/// A terminal of a test's own, with a shell in it whose job in the foreground is lulld.
final class PseudoTerminal {
  let screen: Channel
  let path: String

  init() throws {
    let master = unsafe open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC)
    try #require(master >= 0, "no terminal can be made")
    screen = Channel(DescriptorBox(Descriptor(owning: master)), name: "the terminal")
    let (unlock, ask): (UInt, UInt) = (0x4004_5431, 0x8004_5430)  // TIOCSPTLCK, TIOCGPTN
    var (zero, number): (Int32, Int32) = (0, 0)
    try Kernel.check(unsafe ioctl(master, unlock, &zero))
    try Kernel.check(unsafe ioctl(master, ask, &number))
    path = "/dev/pts/\(number)"
  }

  /// Starts lulld as the shell's job. The shell lets go of the descriptor on which lulld says that it is
  /// ready.
  func lull() throws -> Lull {
    let script = "exec <>\(path) >&0 2>&1; set -m; \"$@\" & exec 9>&-; fg"
    return try Lull(prefix: ["sh", "-c", script, "sh"], group: .newSession)
  }

  /// Presses a key together with Ctrl, and waits until the terminal has shown it: the signal is sent by then.
  func pressControl(_ letter: Character) throws {
    let code = try #require(letter.asciiValue) & 0x1F
    try StandardStreams.write([code], to: screen.box.raw)
    let deadline = Deadline()
    var shown: [UInt8] = []
    var buffer = ReceiveBuffer(capacity: 4096)
    while !String(decoding: shown, as: UTF8.self).contains("^\(letter)") {
      try deadline.wait(screen.box.raw, .readable, for: "the echo of Ctrl-\(letter)")
      guard case .bytes = try StandardStreams.read(screen.box.raw, into: &buffer) else { break }
      shown += buffer.received
    }
  }

  func hangUp() { screen.close() }
}
