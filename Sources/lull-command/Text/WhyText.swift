import LullSystem
import LullWire

enum WhyText {
  static func text(_ report: WhyReport, _ style: Style) -> String {
    var lines = ["\(style.paint(Printable.text(report.name), .bold)) \(state(report.state))"]
    lines += report.leases.map { "  \(lease($0))" }
    lines += report.sessions.map { "  \(SoundText.line($0))" }
    if let refusal = report.sleep?.refusal { lines += RefusalText.lines(refusal, plays: report.plays) }
    if let timer = report.ownTimer { lines += OwnTimerText.lines(timer) }
    if !report.signals.isEmpty { lines.append(waiting(report)) }
    if let wake = report.wake { lines.append(WakeText.text(wake, lines: report.lines)) }
    if let ago = report.sleep?.agoSeconds {
      lines.append("last fell asleep \(DurationText.text(seconds: ago)) ago")
    }
    if let launch = report.launch { lines.append(LaunchText.line(launch)) }
    lines += report.notes.map(Printable.text)
    return Prose.wrapped(lines.map { $0 + "\n" }.joined(), columns: style.proseColumns)
  }

  private static func waiting(_ report: WhyReport) -> String {
    let (names, isOne) = (report.signals.joined(separator: ", "), report.signals.count == 1)
    let command = "\"lull wake \(Printable.text(report.name))\""
    return isOne
      ? "\(names) waits for its next wake; \(command) lets it take it"
      : "\(names) wait for its next wake; \(command) lets it take them"
  }

  /// `next` is how the program can be started, where the daemon has no word on that.
  static func text(_ report: WhyEndedReport, next: String?, _ style: Style) -> String {
    let end = report.ended.map { EndedText.text($0, style) }
    let isSilent = end != nil || report.state == .unmanaged
    var lines = isSilent ? [] : ["\(style.paint(Printable.text(report.name), .bold)) is not running"]
    lines += report.notes.map(Printable.text)
    if report.notes.isEmpty { lines += [next].compactMap(\.self) }
    return (end ?? "") + Prose.wrapped(lines.map { $0 + "\n" }.joined(), columns: style.proseColumns)
  }

  private static func state(_ state: OpenWord<ApplicationState>) -> String {
    switch state.known {
    case .active: "is in the foreground"
    case .inactive: "is in the foreground: on its way, or behind the lock or a call"
    case .background: "is in the background and awake"
    case .suspended: "is asleep"
    case .notRunning: "is not running"
    case nil: "is \(Printable.text(state.text))"
    }
  }

  static func lease(_ lease: LeaseItem) -> String {
    let end = lease.endsInSeconds.map { ", for \(DurationText.text(seconds: $0)) at most" } ?? ""
    return "\(cause(lease))\(end)"
  }

  private static func cause(_ lease: LeaseItem) -> String {
    switch lease.kind.known {
    case .launching: "it is being launched"
    case .transition: "it is told that it changes between foreground and background"
    case .wake: "it handles what woke it"
    case .keepalive: "its keep-alive runs"
    case .fetch: "it looks for something new"
    case .push: "it handles what was pushed to it"
    case .task:
      lease.task.map { "its background task \"\(Printable.text($0))\" runs" } ?? "a background task runs"
    case .audible: "what it plays can be heard"
    case .recording: "it records"
    case .call: "it is in a call"
    case .refill: "it fills its sound buffer"
    case nil: Printable.text(lease.kind.text)
    }
  }
}

enum WakeText {
  /// For example `woken 3 s ago by data on line 2 (udp 127.0.0.1:5060) from 10.0.0.7:5090`.
  static func text(_ wake: WakeItem, lines: [LineItem]) -> String {
    let waited =
      wake.waitedMicroseconds.map { ", which had waited \(DurationText.text(microseconds: $0))" } ?? ""
    return "woken \(DurationText.text(seconds: wake.agoSeconds)) ago by \(cause(wake, lines))\(waited)"
  }

  private static func cause(_ wake: WakeItem, _ lines: [LineItem]) -> String {
    let place = place(wake, lines)
    let sender = wake.peer.map { " from \(Printable.text($0))" } ?? ""
    let other = wake.peer.map { " to \(Printable.text($0))" } ?? ""
    switch wake.reason.known {
    case .data: return place.map { "data on \($0)\(sender)" } ?? "data that arrived\(sender)"
    case .closed: return "a connection that its peer closed\(after(place))\(other)"
    case .error: return "a connection that failed\(after(place))\(other)"
    case .accept: return place.map { "a connection\(sender) to \($0)" } ?? "a connection to accept\(sender)"
    case .accessory: return place.map { "data of an accessory on \($0)" } ?? "an accessory that came or went"
    case .location: return "news of its place" + (place.map { " on \($0)" } ?? "")
    case .bluetooth: return "Bluetooth" + (place.map { " on \($0)" } ?? "")
    case .writable: return "a connection that was made or takes bytes again\(after(place))\(other)"
    case .keepalive: return "its keep-alive"
    case .fetch: return "the time for a fetch"
    case .push: return "a push"
    case .timer: return "its own timer"
    case .signal: return "a signal that waited for it"
    case .notification: return "a notification that was answered"
    case .operator: return "an operator's request"
    case .lock: return "another program that waits for a lock on a file"
    case .child: return "the end of one of its processes"
    case .refill: return "its sound buffer, which ran low"
    case .network: return "a change of the network"
    case .resumed: return "the machine, which goes on after its sleep"
    case .url: return "a link that somebody opened"
    case .unfrozen: return "somebody else, or by a freeze that was taken back"
    case nil: return Printable.text(wake.reason.text) + (place.map { " on \($0)" } ?? "")
    }
  }

  private static func after(_ place: String?) -> String { place.map { ", \($0)" } ?? "" }

  private static func place(_ wake: WakeItem, _ lines: [LineItem]) -> String? {
    guard let id = wake.line else { return nil }
    let known = lines.first { $0.id == id }
    return "line \(id)" + (known.map { Printable.text(" (\(LineText.name($0)))") } ?? "")
  }
}

extension WakeText {
  /// Such as `data that arrived from 10.0.0.7`.
  static func cause(of tally: TallyItem) -> String {
    let wake = WakeItem { ($0.reason, $0.peer) = (OpenWord(tally.reason), tally.peer) }
    return cause(wake, [])
  }
}

enum RefusalText {
  /// For example `could not sleep: it was busy (thread 4711 of process 4710)`. `plays`: it may play in the
  /// background, by its modes.
  static func lines(_ refusal: RefusalReport, plays: Bool = false) -> [String] {
    let (sentence, advice) = reasonWithAdvice(refusal, plays: plays)
    return ["could not sleep: \(sentence)"] + (advice.map { ["  \($0)"] } ?? [])
  }

  /// The reason, and what to do about it.
  static func reasonWithAdvice(_ refusal: RefusalReport, plays: Bool) -> (String, advice: String?) {
    let detail = refusal.detail.map { " (\(Printable.text(ExplanationText.sentence($0))))" } ?? ""
    guard let word = refusal.reason.known else {
      return ("\(Printable.text(refusal.reason.text))\(detail)", nil)
    }
    let colon =
      word == .unwatchable
      ? refusal.detail.map { ": \(Printable.text(ExplanationText.sentence($0)))" } : nil
    return ("\(reason(word))\(colon ?? detail)", plays && word == .sound ? silence : remedy(word))
  }

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
    case .noRights: "\"lull doctor\" tells what is missing; another user's processes take the lulld of root"
    case .ticking: "it sleeps once nothing has come on its connections for 1 s"
    case .noDescriptor, .failed, .unwatchable, .asking, .query, .answering, .cutOff, .stopped,
      .returned:
      nil
    }
  }
}

enum LaunchText {
  /// For example `launched for data on line server at 2026-01-02 10:11:12`.
  static func line(_ launch: EntryItem) -> String {
    "launched \(reason(launch)) at \(LocalTime(unix: launch.at).withoutFraction)"
  }

  private static func reason(_ launch: EntryItem) -> String {
    switch launch.cause.flatMap(LaunchReason.init) {
    case .user: "by hand (\"lull install\", \"start\" or \"restart\")"
    case .data: "for data" + (launch.detail.map { " on line \(Printable.text($0))" } ?? "")
    case .boot: "when lulld was started"
    case .crash: "after a crash"
    case .url: "for a link"
    case .notification: "for an answered notification"
    case .keepalive: "for its keep-alive"
    case .fetch: "for a fetch"
    case .push: "for a push"
    case nil: "(\(Printable.text(launch.cause ?? "nobody knows why")))"
    }
  }
}

enum ResumeText {
  static func text(_ report: ResumeReport, _ style: Style) -> String {
    Prose.wrapped("\(sentence(report))\n", columns: style.proseColumns)
  }

  private static func sentence(_ report: ResumeReport) -> String {
    let next = report.next.map(cause)
    guard report.isPermitted else {
      let missed = next.map { ", not even \($0)" } ?? ""
      return "a suspended machine is not resumed\(missed): lulld needs CAP_WAKE_ALARM for that"
    }
    return next.map { "a suspended machine is resumed \($0)" }
      ?? "nothing is due for which a suspended machine is resumed"
  }

  private static func cause(_ next: ResumeReport.Next) -> String {
    let program = Printable.text(next.program)
    let time = "in \(DurationText.text(seconds: next.dueInSeconds))"
    switch next.reason.known {
    case .keepalive: return "\(time) for the keep-alive of \(program)"
    case .timer: return "\(time) for a timer of \(program)"
    case .data: return "\(time) for data that waits for \(program)"
    case .paths: return "\(time) to keep the UDP paths of \(program) open"
    case .notification: return "\(time) for a notification of \(program)"
    case nil: return "\(time) for \(program): \(Printable.text(next.reason.text))"
    }
  }
}
