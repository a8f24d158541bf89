import LullProgram
import LullSystem
import LullTransfers

func complain(_ text: String) {
  try? StandardStreams.write(Array("lull-transfers: \(text)\n".utf8), to: StandardStreams.error)
}

func write(_ text: String) {
  try? StandardStreams.write(Array(text.utf8), to: StandardStreams.output)
}

let usage = """
  usage: lull-transfers [--patience SECONDS]
  Fetches what "lull transfer add" and the library LullTransfers ask for, by aria2.
  Once: \(TransferError.installing)
    --patience SECONDS  begin a fetch anew that brings no byte for so long (default 180)
    --version           print the version

  """

/// Another one may end in this moment; its aria2 does a second later.
func serve(patience: Int64) throws(SystemError) {
  guard let store = TransferStore.ofThisUser else { throw .missing("a home directory (set XDG_STATE_HOME)") }
  try Files.makeDirectories(store.folder)
  for _ in 0..<50 {
    if let lock = try Files.lock(store.folder + "/lock") {
      return try Service(store, lock: lock, patience: patience).run()
    }
    var none: [PollEntry] = []
    try Socket.pollMany(&none, timeoutMilliseconds: 200)
  }
  throw .notPermitted("another lull-transfers runs")
}

StandardStreams.reserve()
try? Signal.ignore(Signal.pipe)
let arguments = Array(CommandLine.arguments.dropFirst())
switch (arguments.first, arguments.dropFirst().first) {
case ("--head", let url?):
  try? Process.expectParentDeath(Signal.kill)
  switch HeadRequest.ask(url) {
  case .success(let head): write(head.text)
  case .failure(let reason):
    write("\(reason.text)\n")
    Process.exit(1)
  }
case (nil, nil), ("--patience", _):
  let patience = arguments.count == 2 ? Int64(arguments[1]) : 180
  guard let patience, patience > 0, arguments.count != 1 else {
    complain("--patience: must be a number of seconds")
    Process.exit(64)
  }
  do { try serve(patience: min(patience, 86_400)) } catch {
    complain("\(error)")
    Process.exit(1)
  }
case ("--version", nil): write("\(Version.text)\n")
case ("--help", nil), ("-h", nil): write(usage)
default:
  complain("unknown argument \"\(arguments[0])\"; --help lists the options")
  Process.exit(64)
}
