import LullEngine
import LullSystem

/// The service manager that started lull-guard, told by datagrams: sd_notify(3). Moments are nanoseconds of
/// CLOCK_BOOTTIME.
final class ServiceManager {
  /// A descriptor for the service manager, under the name by which it comes back.
  struct Stored {
    let name: String
    let descriptor: DescriptorBox
  }

  private let policy = SupervisionPolicy()
  private let socket: DescriptorBox
  /// The time within which a sign of life is wanted, in nanoseconds.
  private let watchdog: Int64?
  private(set) var deadline: Int64?

  init?(_ options: ServiceOptions) {
    guard let name = options.notifySocket else { return nil }
    do {
      let address =
        name.hasPrefix("@")
        ? try SocketAddress(abstractName: String(name.dropFirst())) : try SocketAddress(path: name)
      socket = DescriptorBox(try UnixSocket.datagrams(to: address))
    } catch {
      StandardError.say("lull-guard: the service manager at \(name) cannot be told anything: \(error)")
      return nil
    }
    watchdog = options.watchdogMicroseconds.map { min($0, .max / 1000) * 1000 }
  }

  // MARK: News

  /// The socket accepts. This process is the service's main one, also where it has replaced another guard;
  /// `waits`: until the service manager has read that.
  func ready(waits: Bool = false) {
    let limit = Clock.boottime() + policy.serviceManagerTime.nanoseconds
    send(["READY=1", "MAINPID=\(Identity.pid())"], until: limit)
    if waits { hasReadAll(until: limit) }
    deadline = watchdog.map { Clock.boottime() + $0 / 2 }
  }

  func stopping() {
    deadline = nil
    send(["STOPPING=1"])
  }

  // MARK: The watchdog

  /// The shortest life of a lulld that is no sign of failure, in nanoseconds.
  var provingTime: Int64 { min(policy.shortLife.nanoseconds, (watchdog ?? 0) / 4) }

  /// Gives the sign of life when it is due and `isWell`; without it, the question comes again soon. A failure
  /// for less than half of the watchdog's time goes unnoticed: it is this guard that mends it.
  func timeIsUp(isWell: () -> Bool) {
    guard let watchdog, let due = deadline, due <= Clock.boottime() else { return }
    let isTold = isWell() && send(["WATCHDOG=1"])
    deadline = Clock.boottime() + (isTold ? watchdog / 2 : watchdog / 16)
  }

  // MARK: Descriptors

  /// The descriptors outlive a restart of the service. False unless the service manager has taken all.
  @discardableResult
  func store(_ all: [Stored]) -> Bool {
    let limit = Clock.boottime() + policy.serviceManagerTime.nanoseconds
    for stored in all {
      guard send(["FDSTORE=1", "FDNAME=\(stored.name)"], stored.descriptor.raw, until: limit) else {
        return false
      }
    }
    return hasReadAll(until: limit)
  }

  /// They came back, and need not be stored any more.
  func forget(_ names: [String]) {
    let limit = Clock.boottime() + policy.serviceManagerTime.nanoseconds
    for name in names { send(["FDSTOREREMOVE=1", "FDNAME=\(name)"], until: limit) }
  }

  /// The service manager has read everything: it closes the end of a pipe then. What a process has sent is
  /// lost if the process ends before it is read, because its service cannot be told any more.
  @discardableResult
  private func hasReadAll(until limit: Int64) -> Bool {
    guard let (reading, writing) = StandardErrorLog.guardian.ignoring([], try Pipe.open()) else {
      return false
    }
    let isSent = send(["BARRIER=1"], writing.raw, until: limit)
    writing.close()
    return isSent && wait(reading.raw, .readable, until: limit)
  }

  // MARK: Sending

  /// Where the service manager has no room, it waits until `limit`, or not at all without one. False when the
  /// datagram is not sent.
  @discardableResult
  private func send(_ lines: [String], _ descriptor: Int32? = nil, until limit: Int64? = nil) -> Bool {
    let bytes = Array(lines.joined(separator: "\n").utf8)
    while true {
      let outcome = StandardErrorLog.guardian.ignoring(
        .closed, try UnixSocket.send(bytes, descriptor: descriptor, to: socket.raw))
      switch outcome {
      case .sent: return true
      case .closed, nil: return false
      case .wouldBlock: guard let limit, wait(socket.raw, .writable, until: limit) else { return false }
      }
    }
  }

  private func wait(_ raw: Int32, _ interest: Interest, until limit: Int64) -> Bool {
    let left = max(0, limit - Clock.boottime())
    let milliseconds = Int32(clamping: left / 1_000_000)
    let readiness = StandardErrorLog.guardian.ignoring(
      [], try Socket.poll(raw, interest, timeoutMilliseconds: milliseconds))
    return readiness?.isEmpty == false
  }
}
