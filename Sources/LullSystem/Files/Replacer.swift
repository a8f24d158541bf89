internal import CLinux
internal import Glibc

/// Replaces a file as a whole in a thread of its own, so that a slow or full disk holds up nobody. A start
/// after a crash finds the old bytes or the new ones. The file is the owner's alone (0600).
@safe package final class Replacer {
  /// The longest time for which an end waits for the disk, in milliseconds.
  private static let ending: Int32 = 1000

  private let path: String
  private let file: OpaquePointer

  /// Replaces the file at `path`. ENOMEM: there is no memory.
  package init(path: String) throws(SystemError) {
    guard let made = unsafe clinux_replacer_make(path) else {
      throw SystemError(code: ENOMEM, call: "replace \(path)")
    }
    self.path = path
    unsafe file = made
  }

  deinit { unsafe clinux_replacer_free(file, Self.ending) }

  /// Hands the bytes of the whole file over, which are written soon. ENOMEM or EAGAIN: there is no memory or
  /// no thread. The corresponding C functions are `pthread_create`, `write`, `fsync` and `rename`.
  package func replace(with bytes: [UInt8]) throws(SystemError) {
    try systemCall("replace \(path)") {
      unsafe bytes.withUnsafeBytes { bytes in
        unsafe clinux_replacer_write(file, bytes.baseAddress, bytes.count)
      }
    }
  }

  /// The failure of the last try since the last call.
  package func takeFailure() -> SystemError? {
    let failure = unsafe clinux_replacer_failure(file)
    guard unsafe failure.code != 0, let call = unsafe failure.call else { return nil }
    let name = unsafe String(cString: call)
    return Files.failure(unsafe failure.code, of: name, on: [name == "rename" ? path : path + ".new"])
  }

  package var isBusy: Bool { unsafe clinux_replacer_finish(file, 0) != 0 }

  /// Waits until everything is written or has failed, for a second at most. The corresponding C function is
  /// `pthread_cond_timedwait`.
  package func finish() { _ = unsafe clinux_replacer_finish(file, Self.ending) }
}
