import LullChannel
import LullEngine
import LullSystem
import LullWire

/// Ends of commands that no client has been told of yet, and children that are no programs.
final class Exits {
  /// The end of a command that no client has been told of.
  struct UnheardEnd {
    let name: String
    let pid: Int32
    let notice: Message
  }

  static let maximumUnheard = 64

  private let reactor: DaemonReactor
  private let journal: Journal
  /// Commands that ended with no client attached, oldest first.
  private var unheard: [UnheardEnd] = []
  /// Children that were to be programs and are none, until they are reaped, and their watches.
  private var strays: [(seed: ProgramSeed, registration: Slot?)] = []

  init(_ services: SharedServices) { (reactor, journal) = (services.reactor, services.journal) }

  /// Remembers the end of a command. A command that ends while the daemon is restarted is gone before its
  /// `lull run` can attach again.
  func remember(_ end: UnheardEnd) {
    unheard.removeAll { $0.name == end.name }
    if unheard.count == Self.maximumUnheard { unheard.removeFirst() }
    unheard.append(end)
  }

  /// The end of a command of that name, which is told once.
  func take(_ name: String) -> UnheardEnd? {
    unheard.firstIndex { $0.name == name }.map { unheard.remove(at: $0) }
  }

  /// The notice of a command's end for the clients that watch it.
  static func notice(of name: String, _ status: ExitStatus) -> Message {
    Message(event: .exited).adding(.name, name).adding(status)
  }

  /// Ends a command that was started and does not become a program.
  func end(_ seed: ProgramSeed) {
    journal.ignoring([.ended, .removed], try seed.suspender.kill())
    // Without this watch the stray is reaped with the next one.
    let registration = journal.ignoring(
      [], try reactor.add(seed.pidfd.raw, [.readable, .oneShot], as: .stray))
    strays.append((seed, registration))
  }

  /// The strays that have ended.
  func reap() -> [ProgramSeed] {
    let ended = strays.filter { hasEnded($0.seed) }
    strays.removeAll { stray in ended.contains { $0.seed.pidfd === stray.seed.pidfd } }
    for registration in ended.compactMap(\.registration) { reactor.remove(registration) }
    return ended.map(\.seed)
  }

  private func hasEnded(_ seed: ProgramSeed) -> Bool {
    let status = journal.ignoring(.ended, try Process.waitStatus(seed.pidfd.raw))
    guard case .some(.some) = status else { return false }
    return true
  }
}
