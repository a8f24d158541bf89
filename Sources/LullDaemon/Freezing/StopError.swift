import LullSystem

/// The reason why a program cannot be held still as a whole, so that it is not put to sleep.
enum StopError: Error, CustomStringConvertible {
  case system(SystemError)
  case notStopped(Int32, SystemError)
  /// A process whose parent ended before it was seen, and without the tag in its environment.
  case stray(Int32)
  case orphansLost
  case holdsDaemon

  var description: String {
    switch self {
    case .system(let error): "\(error)"
    case .notStopped(let pid, let error): "process \(pid) cannot be stopped: \(error)"
    case .stray(let pid):
      "process \(pid) was left by its parent and may belong to it; without a cgroup nobody can tell"
    case .orphansLost:
      "lull-guard was killed since it was started: what it has left in the background cannot be found"
    case .holdsDaemon: "lulld runs below it"
    }
  }
}
