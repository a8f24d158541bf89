import LullWire

enum RefusalText {
  /// For example `could not sleep: it was busy (thread 4711 of process 4710)`. `plays`: it may play in the
  /// background, by its modes.
  static func lines(_ refusal: RefusalReport, plays: Bool = false) -> [String] {
    let detail = refusal.detail.map { " (\(Printable.text($0)))" } ?? ""
    guard let word = FreezeRefusal(rawValue: refusal.reason) else {
      return ["could not sleep: \(Printable.text(refusal.reason))\(detail)"]
    }
    let colon = word == .unwatchable ? refusal.detail.map { ": \(Printable.text($0))" } : nil
    let sentence = "could not sleep: \(reason(word))\(colon ?? detail)"
    let advice = plays && word == .sound ? silence : remedy(word)
    return [sentence] + (advice.map { ["  \($0)"] } ?? [])
  }

  /// What to do about the sound of a player.
  private static let silence =
    "it sleeps when its stream is closed, or silent where that is measured: in the ALSA device \"lull\", "
    + "PulseAudio and PipeWire"

  private static func reason(_ word: FreezeRefusal) -> String {
    switch word {
    case .timeout: "it did not stand still in time"
    case .notIdle: "it was busy"
    case .noDescriptor: "one of its descriptors could not be taken"
    case .failed: "the attempt failed"
    case .unread: "it has not read what arrived"
    case .unanswered: "it sent something and waits for the answer"
    case .ticking: "it wakes itself all the time, and its lines were not quiet for long enough"
    case .sound: "it plays or records sound"
    case .tooManyLines: "it has more connections than are watched for one program"
    case .tooManyProcesses: "it has more processes than are looked at for one program"
    case .noLine: "it would never wake"
    case .noPort: "a port of --wake-on is missing"
    case .noRights: "the daemon may not look into it"
    case .unwatchable: "it waits for something that nobody can watch"
    case .asking: "it waits for an answer of lulld"
    case .stopped: "a signal has stopped it; \"fg\" or SIGCONT lets it go on"
    case .query: "it has just sent a query over UDP and waits for the answer"
    case .returned: "it has outlived a daemon, and may be about to look for this one"
    case .cutOff: "a sleep has cut off its time-out, which is to run out once"
    case .answering: "something came that it has not answered, and it may answer when its time-out is over"
    }
  }

  /// Nil where the user can only wait.
  private static func remedy(_ word: FreezeRefusal) -> String? {
    switch word {
    case .timeout: "a process that waits for a disk or a network file system may take long; it is tried again"
    case .notIdle: "it sleeps when all of its threads wait; one that never waits keeps it awake"
    case .unread: "if it never reads that, it sleeps after 3 s; \"lull run --ignore PORT\" leaves a port out"
    case .unanswered: "it sleeps when the answer has come, or after --linger (default: 1 s)"
    case .sound: "it sleeps when the stream is closed; let it open the sound device for calls only"
    case .tooManyLines: "\"lull run --wake-on PORT\" watches only those that matter"
    case .tooManyProcesses: "give the process that waits for calls a \"lull run\" of its own"
    case .noLine: "it sleeps once it has a connection, or a port to which one can come"
    case .noPort: "\"ss -tuap\" shows its ports; start it again with those, or without --wake-on"
    case .noRights: "\"lull doctor\" tells what is missing"
    case .noDescriptor, .failed, .ticking, .unwatchable, .asking, .query, .answering, .cutOff, .stopped,
      .returned:
      nil
    }
  }
}
