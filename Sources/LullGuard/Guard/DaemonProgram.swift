import LullEngine
import LullSystem

/// The program lulld, as lull-guard starts it, and the waits between its starts, in nanoseconds.
final class DaemonProgram {
  private let path: String
  private let listener: DescriptorBox
  private var options: DaemonOptions
  private var deaths: Backoff

  init(_ path: String, listener: DescriptorBox, options: DaemonOptions, policy: SupervisionPolicy) {
    (self.path, self.listener, self.options) = (path, listener, options)
    deaths = Backoff(policy)
  }

  /// A lulld runs already, whose guard has died or is replaced.
  var isRunning: Bool { options.adopts }

  var request: SpawnRequest {
    let crashed = options.crashed ? ["--crashed"] : []
    var request = SpawnRequest([path, "--guarded"] + options.shared + options.first + crashed)
    request.environment = ServiceOptions.passedOn()
    request.passed = [.init(listener.raw, as: DaemonOptions.listenerNumber)]
    request.passed += options.lockPassed
    request.openFileLimit = options.openFileLimit
    // A session of its own is out of reach of the terminal's keys: the guard answers them for both.
    request.group = .newSession
    return request
  }

  /// The ledger of lulld knows of the fault now.
  func began() { options.crashed = false }

  func gaveWay() {
    (options.boots, options.wanted, options.crashed) = (true, nil, false)
  }

  /// `life` is in nanoseconds. Returns the wait before lulld is started again. One that dies before it has
  /// begun leaves the fault of the one before to the next.
  func died(after life: Int64, crashed: Bool) -> Int64 {
    (options.boots, options.wanted) = (true, nil)
    if crashed { options.crashed = true }
    options.restarts += 1
    return deaths.next(after: life)
  }

  func failed() -> Int64 { deaths.next(after: 0) }
}
