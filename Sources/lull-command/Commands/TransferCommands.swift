import ArgumentParser
import LullChannel
import LullSystem
import LullTransfers
import LullWire

struct TransferCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "transfer",
    abstract: "Have files fetched while nobody waits for them.",
    discussion: """
      aria2 fetches them, and goes on after broken connections and restarts of the machine. A program named \
      by --program sleeps or ends meanwhile: it is woken, or started, when all of the session has ended, and \
      when a transfer has failed for good. "lull quit" of that program cancels what is open.

      Once: \(TransferError.installing)

      Example: lull transfer add https://example.org/issue.pdf issue.pdf
               lull transfer list
      """,
    subcommands: [AddTransferCommand.self, ListTransfersCommand.self, CancelTransferCommand.self])
}

struct AddTransferCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "add", abstract: "Fetch a file.", usage: "lull transfer add <url> <path> [<options>]",
    discussion: """
      Prints the number of the transfer. The file appears at its path once it is whole.

      Example: lull transfer add https://example.org/a.pdf a.pdf --program reader
      """)

  @Argument(help: "An http: or https: URL.") var url: String
  @Argument(help: "The path of the file; nothing has it yet.", completion: .file()) var path: String
  @Option(help: .init("What belongs together.", valueName: "name")) var session = "default"
  @Option(
    help: .init("The program to be woken or started.", valueName: "name"), completion: Completions.records)
  var program: String?
  @Flag(help: "Only on mains power and over an unmetered network.") var discretionary = false
  @Option(help: .init("What the file must have: sha-256= and its digits.", valueName: "sum"))
  var checksum: String?

  func run() throws(Failure) {
    do { _ = try CommandPath.find("aria2c", in: Identity.environment("PATH")) } catch {
      throw .failed("aria2c is not found in PATH; install the package aria2")
    }
    let bytes = try explained(path, Files.absolutePath(Array(path.utf8)))
    let transfer = try TransferWords.told { () throws(TransferError) in
      try TransferSession(identifier: session, program: program)
        .add(
          url, to: String(decoding: bytes, as: UTF8.self), isDiscretionary: discretionary, checksum: checksum)
    }
    try Output.say("\(transfer.identifier)\n")
    TransferWords.complainUnlessServed()
  }
}

struct ListTransfersCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "list", abstract: "Show what is fetched, and what was in the last seven days.")

  @OptionGroup var json: JSONOption

  func run() throws(Failure) {
    let transfers = try TransferWords.all().map(TransferReport.init)
    try json.write(transfers) { TransferWords.table(transfers, $0) }
    if transfers.contains(where: { $0.state == "open" }) { TransferWords.complainUnlessServed() }
  }
}

struct CancelTransferCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cancel", abstract: "Fetch a file no more, and forget what has come of it.",
    discussion: """
      Of a transfer that has finished only the entry is removed, and the file stays.

      Example: lull transfer cancel 1f0c52a97be0d4c3
      """)

  @Argument(help: .init("The numbers, as in \"lull transfer list\".", valueName: "number")) var numbers:
    [String]

  func run() throws(Failure) {
    let known = try TransferWords.all()
    for number in numbers {
      guard let store = TransferStore.ofThisUser, let found = known.first(where: { $0.identifier == number })
      else { throw .failed("no transfer \(Printable.text(number)); \"lull transfer list\" lists them") }
      try explained("\(number) cannot be cancelled", store.mark(number))
      try Output.say("\(number) is \(found.isOpen ? "cancelled" : "forgotten")\n")
    }
  }
}

struct TransferReport: Encodable {
  let id, session, url, path, state: String
  let program, reason: String?
  let receivedBytes: Int64
  let expectedBytes: Int64?
  let discretionary: Bool

  init(_ transfer: Transfer) {
    (id, session, program) = (transfer.identifier, transfer.session, transfer.program)
    (url, path, discretionary) = (transfer.url, transfer.destination, transfer.isDiscretionary)
    (receivedBytes, expectedBytes) = (transfer.receivedBytes, transfer.expectedBytes)
    (state, reason) = (transfer.word, transfer.reason)
  }
}

enum TransferWords {
  static func told<Value>(_ call: () throws(TransferError) -> Value) throws(Failure) -> Value {
    do throws(TransferError) { return try call() } catch { throw .failed("\(error)") }
  }

  static func all() throws(Failure) -> [Transfer] {
    guard let store = TransferStore.ofThisUser else {
      throw .failed("no home directory to find transfers in; set XDG_STATE_HOME")
    }
    return try explained("transfers cannot be read", store.transfers())
  }

  /// What is asked for is kept, and fetched once the program runs.
  static func complainUnlessServed() {
    let name = TransferLink.service
    do throws(Failure) {
      let items = try Daemon.ask(.installed(name: name), starting: DaemonStart()).records(InstalledItem.self)
      guard let state = items.first?.state, state.known != .running else { return }
      Output.complain("\(name) does not run (\(state.text)); see \"lull why \(name)\"")
    } catch .refused {
      // A process of a program may not ask.
    } catch { Output.complain(error.message ?? "lulld does not answer") }
  }

  static func table(_ transfers: [TransferReport], _ style: Style) -> String {
    guard !transfers.isEmpty else { return "Nothing is fetched.\n" }
    return Table(
      transfers,
      [
        .init("NUMBER") { .init($0.id, .bold) },
        .init("PROGRAM", .rank(2)) { .init($0.program) }, .init("SESSION", .rank(3)) { .init($0.session) },
        .init("BYTES", aligned: .right) { row in
          .init("\(row.receivedBytes)" + (row.expectedBytes.map { "/\($0)" } ?? ""))
        },
        .init("STATE") { .init([$0.state, $0.reason].compactMap(\.self).joined(separator: ": ")) },
        .init("PATH", .cut(rank: 1, least: 12)) { .init($0.path) },
      ]
    ).text(style)
  }
}
