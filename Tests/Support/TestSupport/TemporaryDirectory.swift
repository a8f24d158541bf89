package import Glibc
import LullSystem
import Testing

/// A directory that is removed with everything in it.
package final class TemporaryDirectory: Sendable {
  package let path: String

  package init() throws {
    let parent = Identity.environment("TMPDIR") ?? "/tmp"
    var template = Array("\(parent)/lull-test-XXXXXX".utf8CString)
    let isMade = unsafe mkdtemp(&template) != nil
    try #require(isMade, "no temporary directory can be made in \(parent)")
    path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
  }

  deinit {
    guard let remover = try? Process.spawn(SpawnRequest(["rm", "-rf", path])) else { return }
    _ = try? Socket.poll(remover.pidfd.raw, .readable, timeoutMilliseconds: patience)
    _ = try? Process.waitStatus(remover.pidfd.raw)
  }

  /// Writes a file and returns its path.
  package func file(_ name: String, _ text: String = "", mode: mode_t = 0o600) throws -> String {
    let file = "\(path)/\(name)"
    let raw = unsafe open(file, O_WRONLY | O_CREAT | O_CLOEXEC, mode)
    let descriptor = Descriptor(owning: raw)
    try StandardStreams.write(Array(text.utf8), to: descriptor.raw)
    return file
  }
}
