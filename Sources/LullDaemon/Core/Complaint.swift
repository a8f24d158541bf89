import LullGuard
import LullSystem
import LullWire

/// What lulld says on standard error while it runs: the only sentences that it writes itself. No command
/// reads them for a person, who finds them in a terminal or in the journal of a service.
enum Complaint {
  case journalUnwritten(String)
  case ledgerUncopied(SystemError)
  case guardNotStarted(SystemError)
  case notThawed(String, SystemError)

  func say() { StandardError.say("lulld: \(text)") }

  private var text: String {
    switch self {
    case .journalUnwritten(let why):
      switch Explanation(why)?.verb {
      case .noHome: "the journal is kept in memory alone: no home directory: set XDG_STATE_HOME"
      case .journalOfAnother: "the journal is kept in memory alone: another lulld writes it"
      default: "the journal is kept in memory alone: \(why)"
      }
    case .ledgerUncopied(let error): "what is quit and scheduled is kept until the machine ends: \(error)"
    case .guardNotStarted(let error): "no new lull-guard: \(error)"
    case .notThawed(let name, let error):
      "\(name) cannot be thawed: \(error); \"lull doctor --thaw\" tries again"
    }
  }
}
