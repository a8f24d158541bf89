import LullEngine
import LullSystem

/// The program lulld, as lull-guard starts it, and the waits between its starts, in nanoseconds.
final class DaemonProgram {
  private let path: String
  private let listener: DescriptorBox
  private var options: DaemonOptions
  private var deaths: Backoff
  /// The program for the next start alone, in place of the one at the path.
  var returnsTo: String?

  /// The program at `path`, which will serve `listener`.
  init(_ path: String, listener: DescriptorBox, options: DaemonOptions, policy: SupervisionPolicy) {
    (self.path, self.listener, self.options) = (path, listener, options)
    deaths = Backoff(policy)
  }

  /// True when a lulld runs already, whose guard has died.
  var isRunning: Bool { options.adopts }

  /// The descriptors of that lulld.
  var adopted: AdoptedNumbers { options.adopted }

  /// Makes this process the lull-guard of a folder, which takes over a lulld that runs, and what this one has
  /// `kept`. Returns only by throwing.
  func become(
    in folder: String, link: DescriptorBox, child: DescriptorBox, epoll: Int32?, kept: [ServiceManager.Kept]
  ) throws(SystemError) {
    let numbers = AdoptedNumbers(
      listener: listener.raw, link: link.raw, child: child.raw, epoll: epoll ?? AdoptedNumbers.none,
      lock: options.isLocked ? options.lockSource : AdoptedNumbers.none)
    let path = "\(folder)/\(DaemonOptions.guardName)"
    let keptNumbers = kept.map(\.descriptor.raw)
    let keptText = keptNumbers.map { "\($0)" }.joined(separator: ",")
    do {
      // Commands get the limit with which this process was started.
      if let limit = options.openFileLimit { try Limits.setOpenFiles(limit) }
      try Process.execute(
        path,
        arguments: [path, "--adopt", "--adopted", numbers.text, "--kept", keptText] + options.shared,
        environment: ServiceOptions.passedOn(), keeping: numbers.all + keptNumbers)
    } catch {
      Guard.log.ignoring([], try Limits.raiseOpenFiles())
      throw error
    }
  }

  /// The start of lulld; `follows`: beside one that waits until it has everything.
  func request(follows: Bool) -> SpawnRequest {
    let arguments = ["--guarded"] + options.shared + (follows ? ["--follows"] : [])
    var request = SpawnRequest([returnsTo ?? path] + arguments)
    request.environment = ServiceOptions.passedOn()
    request.passed = [.init(listener.raw, as: DaemonOptions.listenerNumber)]
    request.passed += options.lockPassed
    request.openFileLimit = options.openFileLimit
    // A session of its own is out of reach of the terminal's keys: the guard answers them for both.
    request.group = .newSession
    return request
  }

  /// Takes note that lulld has lived for so many nanoseconds. Returns the wait before it is started again.
  func ended(after life: Int64) -> Int64 {
    options.restarts += 1
    return deaths.next(after: life)
  }

  /// Takes note that lulld could not be started. Returns the wait before the next try.
  func failed() -> Int64 { deaths.next(after: 0) }
}
