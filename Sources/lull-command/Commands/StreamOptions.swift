import ArgumentParser
import LullSystem

struct StreamOptions: ParsableArguments {
  enum Input: String, CaseIterable {
    case empty, open
  }

  @Flag(help: "Give the detached program a terminal of its own, which \"lull attach NAME\" joins.")
  var tty = false
  @Option(
    help: ArgumentHelp(
      "The input of the detached program: empty, or open and silent until \"lull attach\" sends lines.",
      valueName: "empty|open"),
    completion: .list(Input.allCases.map(\.rawValue)))
  var stdin: String?
  @Option(
    help: ArgumentHelp("Append the output of the detached program to this file.", valueName: "file"),
    completion: .file())
  var output: String?

  var given: [String] {
    [("--tty", tty), ("--stdin", stdin != nil), ("--output", output != nil)].filter(\.1).map(\.0)
  }

  var input: Input? { stdin.flatMap(Input.init) }

  static func input(_ text: String) throws(Failure) -> Input {
    if let input = Input(rawValue: text) { return input }
    throw .usage("--stdin \(text): must be empty or open")
  }

  func check() throws(Failure) {
    if let stdin { _ = try Self.input(stdin) }
    guard !tty || stdin == nil else {
      throw .usage("--stdin: the input of a program with --tty is its terminal; give one of both")
    }
  }

  /// Throws `failed` when the file cannot be written.
  func outputFile() throws(Failure) -> [UInt8]? {
    guard let output else { return nil }
    do throws(SystemError) {
      let path = try Files.absolutePath(Array(output.utf8))
      _ = try Files.openAtEnd(path, mode: 0o666)
      return path
    } catch {
      throw .failed("--output \(output): cannot be written (\(error.message))")
    }
  }
}
