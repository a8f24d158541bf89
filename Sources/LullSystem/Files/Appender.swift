internal import CLinux
internal import Glibc

/// Appends lines to a file in a thread of its own, so that a slow or full disk holds up nobody. The file is
/// the owner's alone (0600), and at most one process appends to it. Before it grows beyond its limit it is
/// renamed to `PATH.1`.
@safe package final class Appender {
  /// The longest time for which an end waits for the disk, in milliseconds.
  private static let ending: Int32 = 1000

  private let path: String
  private let file: OpaquePointer

  /// Appends to the file at `path`, which is opened with the first line. Each opening begins with the line
  /// `head`. ENOMEM: there is no memory.
  package init(path: String, head: [UInt8], limit: Int) throws(SystemError) {
    guard let made = unsafe clinux_appender_make(path, head.map { CChar(bitPattern: $0) } + [0], limit) else {
      throw SystemError(code: ENOMEM, call: "append to \(path)")
    }
    self.path = path
    unsafe file = made
  }

  deinit { unsafe clinux_appender_free(file, Self.ending) }

  /// Hands lines over, which are written soon; `mark` is the number under which `takeProgress` tells that
  /// they are. False: too much waits, or a failure was not taken note of yet. The corresponding C functions
  /// are `pthread_create` and `write`.
  package func append(_ lines: [UInt8], mark: UInt64) -> Bool {
    unsafe lines.withUnsafeBytes { lines in
      unsafe clinux_appender_append(file, lines.baseAddress, lines.count, mark) == 0
    }
  }

  /// The mark of the last lines that are in the file, and the failure since the last call. After a failure
  /// what comes behind that mark is to be handed over again. EAGAIN: another process appends to the file.
  package func takeProgress() -> (written: UInt64, failure: SystemError?) {
    var written: UInt64 = 0
    let failure = unsafe clinux_appender_progress(file, &written)
    guard unsafe failure.code != 0, let call = unsafe failure.call else { return (written, nil) }
    let name = unsafe String(cString: call)
    let names = name == "rename" ? [path, path + ".1"] : [path]
    return (written, Files.failure(unsafe failure.code, of: name, on: names))
  }

  /// Waits until everything is written or has failed, for a second at most. The corresponding C function is
  /// `pthread_cond_timedwait`.
  package func finish() { _ = unsafe clinux_appender_finish(file, Self.ending) }
}
