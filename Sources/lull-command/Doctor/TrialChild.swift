import LullSystem

/// A child process that sleeps, for trials; ``end()`` kills and reaps it.
struct TrialChild: ~Copyable {
  private static let patience: Int32 = 2000
  /// The seconds after which the child ends by itself, should lull be killed meanwhile.
  private static let lifetime = "60"

  private let spawned: Spawned

  private init(_ spawned: consuming Spawned) { self.spawned = spawned }

  /// Waits until the child runs. `cgroup` is the descriptor of a cgroup's directory to start it in.
  static func start(cgroup: Int32? = nil) throws(SystemError) -> TrialChild {
    let root = try Files.openDirectory("/")
    var request = SpawnRequest(["sleep", lifetime])
    request.standardInput = root.raw
    request.group = .newSession
    request.cgroup = cgroup
    let child = TrialChild(try Process.spawn(request))
    if let error = try child.failure() {
      child.end()
      throw error
    }
    return child
  }

  private func failure() throws(SystemError) -> SystemError? {
    _ = try Socket.poll(spawned.execStatus.raw, .readable, timeoutMilliseconds: Self.patience)
    guard case .failed(let error) = try Process.execResult(spawned.execStatus.raw) else { return nil }
    return error
  }

  var pidfd: Int32 { spawned.pidfd.raw }

  /// The child may have ended before.
  func end() {
    try? Process.sendSignal(pidfd, Signal.kill)
    _ = try? Socket.poll(pidfd, .readable, timeoutMilliseconds: Self.patience)
    _ = try? Process.waitStatus(pidfd)
  }
}
