import ArgumentParser
import LullSystem
import LullWire

struct AddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Put files at the end of the queue.",
    discussion: "A file that cannot be played is named with the reason and left out; the status is then 1.")

  @Argument(help: "WAV, FLAC, Ogg Opus, Ogg Vorbis or MP3.", completion: .file()) var files: [String]
  @Flag(name: .shortAndLong, help: "Play the first of them now.") var play = false

  func run() throws {
    var connection = try PlayerLauncher.connectStarting()
    var first: Int?
    var skipped = 0
    for file in files {
      do throws(Failure) {
        let answer = try add(file, &connection)
        first = first ?? answer["index"].flatMap { Int($0) }
      } catch {
        skipped += 1
        StandardOutput.complain("\(file): \(error.message ?? "refused"); skipped")
      }
    }
    if play, let first { _ = try connection.ask(.play(index: first)) }
    try StandardOutput.write("added \(files.count - skipped) of \(files.count)\n")
    if skipped > 0 { throw Failure.status(1) }
  }

  private func add(_ file: String, _ connection: inout PlayerConnection) throws(Failure) -> Message {
    let path: String
    do { path = try Files.absolutePath(file) } catch { throw .failed("\(error)") }
    let messages = try connection.ask(.add(path: path))
    return messages[messages.count - 1]
  }
}
