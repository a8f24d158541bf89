import LullChannel
import LullEngine
import LullSystem

enum SurroundingOutcome: Equatable {
  case changed(Surrounding)
  case settings(name: String)
}

/// The sources of changes around the programs that the kernel has: files and power supplies. Nothing is
/// polled. A source that is not to be had is left out.
final class SurroundingSources {
  private let reactor: DaemonReactor
  private let journal: Journal
  private var files: WatchedFiles
  private var power: WatchedPower
  private var hasBegun = false
  /// The folder in the place of `/`; a test brings its own.
  private let root = Identity.environment("LULL_SYSTEM_ROOT") ?? ""

  init(_ services: SharedServices) {
    (reactor, journal) = (services.reactor, services.journal)
    files = WatchedFiles(root: root)
    power = WatchedPower(root: root)
  }

  func begin() -> [SurroundingOutcome] {
    guard !hasBegun else { return [] }
    hasBegun = true
    journal.ignoring([], try watchFiles())
    journal.ignoring(.unsupported, try watchPower())
    _ = files.changes()
    return [.changed(.zone(files.zone)), .changed(.power(power.supplies.power))]
  }

  func ready(_ source: SurroundingSource, _ buffer: inout ReceiveBuffer) -> [SurroundingOutcome] {
    switch source {
    case .files: return journal.ignoring([], try files.drain()) == nil ? [] : files.changes()
    case .power:
      let before = power.supplies.power
      journal.ignoring([], try power.receive(&buffer))
      let now = power.supplies.power
      return now == before ? [] : [.changed(.power(now))]
    }
  }

  private func watchFiles() throws(SystemError) {
    guard let raw = try files.open() else { return }
    _ = try reactor.add(raw, .readable, as: .surroundings(.files))
  }

  private func watchPower() throws(SystemError) {
    _ = try reactor.add(try power.open(), .readable, as: .surroundings(.power))
  }
}
