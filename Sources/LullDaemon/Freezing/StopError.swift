import LullSystem

/// The reason why a program cannot be held still as a whole, so that it is not put to sleep.
enum StopError: Error, CustomStringConvertible {
  case system(SystemError)
  case notStopped(Int32, SystemError)
  /// The parent of the command, to which its orphans go, has ended.
  case orphansLost
  case holdsDaemon

  var description: String {
    switch self {
    case .system(let error): "\(error)"
    case .notStopped(let pid, let error): "process \(pid) cannot be stopped: \(error)"
    case .orphansLost:
      "its `lull run` has ended: what it has left in the background cannot be found"
    case .holdsDaemon: "lulld runs below it"
    }
  }
}
