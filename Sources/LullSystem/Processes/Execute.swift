internal import CLinux
internal import Glibc

extension Process {
  /// Makes this process another program, with the same number, parent and children, and with the standard
  /// streams and these descriptors at their numbers. Returns only by throwing; this process goes on then, and
  /// all its other descriptors are closed on exec. The corresponding C function is `execve`.
  package static func execute(
    _ path: String, arguments: [String], environment: [[UInt8]], keeping kept: [Int32]
  ) throws(SystemError) {
    let words = CStringList(arguments.map { Array($0.utf8) })
    let variables = CStringList(environment)
    try systemCall("execve \(path)") {
      unsafe words.withPointers { words in
        unsafe variables.withPointers { variables in
          unsafe clinux_execute(path, words, variables, kept, Int32(kept.count))
        }
      }
    }
  }
}
