import LullChannel
import LullSystem
import LullWire

/// The file of an installed program that says "adopt = unit NAME". lulld starts `lull keep NAME` for it. That
/// adopts what runs, under the name of the file, and stays to do so again: after a clean end lulld starts
/// nothing. It is outside of every program, or lulld would not let it adopt.
final class InstalledAdoption {
  /// The tries without a daemon, which take about 8 s together. Another lulld starts another keeper.
  private static let mostTries = 6

  private let name: String
  private var tries = 0

  init(_ name: String) { self.name = name }

  func run() throws(Failure) -> Never {
    // What fails now is told to lulld, which tries again.
    _ = try adopt()
    try? StandardStreams.letGoOfError()
    guard let lock = try lock() else { Process.exit(0) }
    defer { lock.close() }
    var home: String?
    if let adoption = try InstalledProgram(name).file.adoption, adoption.kind == .cgroup {
      home = adoption.name
    }
    let follower = AdoptionFollower { [self] () throws(Failure) in try adoptAgain() }
    try follower.run(in: home) { try? DaemonEndWatch.open() }
    Process.exit(0)
  }

  /// Nil where an earlier keeper stays already.
  private func lock() throws(Failure) -> DescriptorBox? {
    let (words, folder) = ("\(name) cannot be followed", RuntimeDirectory.path() + "/followers")
    try explained(words, Files.makeDirectories(folder))
    guard let lock = try explained(words, Files.lock("\(folder)/\(name)")) else { return nil }
    return DescriptorBox(lock)
  }

  private func adoptAgain() throws(Failure) -> AdoptedProcess {
    do throws(Failure) {
      var connection = try Daemon.connect()
      let items = try connection.ask(.installed(name: name)).records(InstalledItem.self)
      tries = 0
      guard InstalledProgram.holds(name), items.first?.state.known != .quit else { throw .status(0) }
    } catch {
      tries += 1
      switch error {
      case .noDaemon, .connectionLost: throw tries < Self.mostTries ? error : .status(0)
      case .refused(.noSuchProgram, _): throw .status(0)
      default: throw error
      }
    }
    return try adopt()
  }

  /// The file is read anew each time.
  private func adopt() throws(Failure) -> AdoptedProcess {
    let file = try InstalledProgram(name).file
    guard let adoption = file.adoption else { throw .status(0) }
    let settings = try GivenOptions(file).request(name: nil).settings
    let found =
      switch adoption.kind {
      // Another lulld than root's adopts only its own user's.
      case .unit: try AdoptedProcess(unit: adoption.name, ofUser: Identity.uid() != 0)
      case .container: try AdoptedProcess(container: adoption.name, runtime: nil)
      case .cgroup, .process: try AdoptedProcess(cgroup: adoption.name)
      }
    _ = try found.adoptOnce(settings, as: name, startsDaemon: false)
    return found
  }
}
