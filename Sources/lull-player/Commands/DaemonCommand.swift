import ArgumentParser
import Lull
import LullChannel
import LullSystem

struct DaemonCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "daemon", abstract: "Run the player itself, in the foreground.",
    discussion:
      "Every other command starts it in the background where none runs, and it goes on until \"quit\".")

  @Option(help: ArgumentHelp("Decode so far ahead and sleep meanwhile: 1 to 30.", valueName: "seconds"))
  var buffer = 30.0
  @Flag(help: "Decode only half a second ahead, and stay awake while playing.") var shallow = false
  @Flag(help: .hidden) var started = false

  func validate() throws {
    guard !started || StandardStreams.isOpen(PlayerLauncher.reportDescriptor) else {
      throw ValidationError("--started is for lull-player itself: nothing is open to report to")
    }
    guard (1...30).contains(buffer) else { throw ValidationError("--buffer \(buffer): 1 to 30 seconds") }
  }

  func run() throws {
    let report = started ? DescriptorBox(Descriptor(owning: PlayerLauncher.reportDescriptor)) : nil
    do throws(Failure) {
      try play { report?.close() }
    } catch {
      // The starter may have been ended meanwhile.
      if let report, report.isOpen {
        try? StandardStreams.write(Array("\(error.message ?? "")\n".utf8), to: report.raw)
      }
      throw error
    }
  }

  private func play(whenReady ready: () -> Void) throws(Failure) {
    let directory: String
    do { directory = try RuntimeDirectory.ensure() } catch { throw .failed("\(error)") }
    let lock = try lock(directory + "/player.lock")
    let signals: SleepSignals
    do { signals = try SleepSignals() } catch { throw .failed("\(error)") }
    let lowWater = shallow ? 0.25 : min(5, buffer / 6)
    let daemon = try PlayerDaemon(
      buffer: shallow ? .shallow(seconds: 0.5) : .deep(seconds: buffer, lowWater: lowWater),
      lowWater: lowWater, socket: PlayerLauncher.socketPath(), signals: signals)
    ready()
    daemon.run()
    lock.close()
  }

  /// There is one player per user.
  private func lock(_ path: String) throws(Failure) -> DescriptorBox {
    do {
      if let taken = try Files.lock(path) { return DescriptorBox(taken) }
    } catch {
      throw .failed("\(error)")
    }
    throw .failed("a player runs already")
  }
}
