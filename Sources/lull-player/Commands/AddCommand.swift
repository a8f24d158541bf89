import ArgumentParser
import LullPlayer
import LullSystem
import LullWire

struct AddCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Put files, folders, playlists or streams at the end of the queue.",
    discussion: """
      A folder stands for all music in it and below it, sorted by name; a cue sheet for its tracks, which \
      follow each other without a gap. What cannot be played is named with the reason and left out, and a \
      queue that cannot be remembered is told; the status is then 1.
      """)

  @Argument(
    help: "WAV, FLAC, MP3 or Ogg (Opus, Vorbis, FLAC); a folder; M3U, M3U8, PLS or CUE; a URL.",
    completion: .file()) var files: [String]
  @Flag(name: .shortAndLong, help: "Play the first of them now.") var play = false

  func run() throws {
    var connection = try PlayerLauncher.connectStarting()
    let (entries, failures) = try find()
    var (first, added): (Int?, Int) = (nil, 0)
    for (entry, answer) in zip(entries, try connection.ask(entries.map { $0.message("add") })) {
      switch answer {
      case .success(let message):
        added += 1
        first = first ?? message["index"].flatMap { Int($0) }
      case .failure(let error):
        StandardOutput.complain("\(entry.location.text): \(error.message ?? "refused"); skipped")
      }
    }
    if play, let first { _ = try connection.ask(Message("play", Field("index", String(first)))) }
    try StandardOutput.write("added \(added) of \(entries.count + failures)\n")
    // What was added is written before it is answered.
    let unsaved = try connection.report(Message("status"))?.message["unsaved"]
    if let unsaved { StandardOutput.complain(unsaved) }
    let isWhole = added == entries.count && failures == 0 && !entries.isEmpty
    guard isWhole, unsaved == nil else { throw Failure.status(1) }
  }

  private func find() throws(Failure) -> (entries: [QueueEntry], failures: Int) {
    var (entries, failures): ([QueueEntry], Int) = ([], 0)
    for file in files {
      guard !file.isEmpty else { throw .usage("an empty name: give a file, a folder, a playlist or a URL") }
      let location: MediaLocation
      do { location = try MediaLocation(argument: file) } catch { throw .failed("\(error)") }
      if let path = location.path, file.holds("://"), Files.kind(path) == nil {
        throw .usage("\(file): only file:, http: and https: URLs with a host are played")
      }
      let found = MusicCollection(location)
      for (location, error) in found.failures {
        StandardOutput.complain("\(location.text): \(error); skipped")
      }
      if found.entries.isEmpty && found.failures.isEmpty {
        StandardOutput.complain("\(file): there is no music in it")
      }
      entries += found.entries
      failures += found.failures.count
    }
    return (entries, failures)
  }
}

extension MediaLocation {
  /// The location that an argument names: a URL, or a path, which may be relative to the working directory.
  init(argument: String) throws(SystemError) {
    if !argument.hasPrefix("/"), let location = MediaLocation(text: argument) {
      self = location
    } else {
      self = .file(try Files.absolutePath(Array(argument.utf8)))
    }
  }
}
