import LullChannel
import LullEngine
import LullSystem
import LullWire

/// The programs on the library that ran under the daemon before this one, until they register again or have
/// ended, and the requests that wait for them. Moments are nanoseconds of CLOCK_BOOTTIME.
final class Awaited {
  struct Held {
    let request: Request
    let descriptor: DescriptorBox?
    let client: Slot
    fileprivate let until: Int64
  }

  private struct Program {
    let entry: ProgramEntry
    let pidfd: DescriptorBox
    let registration: Slot
  }

  private let reactor: DaemonReactor
  private let time: Int64
  private var programs: [Program] = []
  private var held: [Held] = []

  init(_ services: SharedServices) {
    (reactor, time) = (services.reactor, services.policy.returnTime.nanoseconds)
  }

  var isEmpty: Bool { programs.isEmpty }
  var names: [String] { programs.map(\.entry.name) }

  /// True when a program of that name has still to come; with `pid`, when that is its process.
  func holds(_ name: String, pid: Int32? = nil) -> Bool {
    programs.contains { $0.entry.name == name && (pid == nil || pid == $0.entry.process.pid) }
  }

  func wait(for entry: ProgramEntry) throws(SystemError) -> Bool {
    let process = entry.process
    guard let pidfd = process.open() else { return false }
    let registration = try reactor.add(pidfd.raw, [.readable, .oneShot], as: .awaited(process))
    programs.append(Program(entry: entry, pidfd: pidfd, registration: registration))
    return true
  }

  /// The program has registered, or has ended. The descriptor is that of its process.
  @discardableResult
  func take(_ process: ProcessIdentity, name: String? = nil) -> (entry: ProgramEntry, pidfd: DescriptorBox)? {
    let place = programs.firstIndex {
      $0.entry.process == process && (name == nil || name == $0.entry.name)
    }
    guard let place else { return nil }
    let program = programs.remove(at: place)
    reactor.remove(program.registration)
    return (program.entry, program.pidfd)
  }

  // MARK: Requests

  func hold(_ request: Request, _ descriptor: DescriptorBox? = nil, from client: Slot, at now: Int64) {
    held.append(Held(request: request, descriptor: descriptor, client: client, until: now + time))
  }

  func takeHeld(at now: Int64, mustWait: (Request) -> Bool) -> Held? {
    held.firstIndex { $0.until <= now || !mustWait($0.request) }.map { held.remove(at: $0) }
  }

  var deadline: Int64? { held.first?.until }
}
