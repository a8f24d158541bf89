import LullWire

/// The sentences of notes, about the program or the daemon.
enum NoteText {
  static func sentences(_ items: [Message]) throws(WireError) -> [String] {
    try items.records(NoteItem.self).map(sentence)
  }

  static func sentence(_ item: NoteItem) -> String {
    let (name, detail, count) = (
      item.program ?? "", item.detail.map(ExplanationText.sentence) ?? "", item.count ?? 0
    )
    switch item.what.known {
    case .guardMissing: return "no lull-guard can be started: no program is put to sleep until there is one"
    case .leftRunning:
      return "\(name) (pid \(item.pid ?? 0)) is left running and not managed: lulld died \(count) times when "
        + "it took it back; end it, and start it again with \"lull run\""
    case .journalUnwritten: return "the journal is kept in memory alone: \(detail)"
    case .notThawed: return "cannot be thawed: \(detail)"
    case .stoppedBySignals: return "suspended by SIGSTOP: \(lack(of: item.cause, item.detail))"
    case .trialFailed:
      return
        "left awake: it ended when it was frozen the last time that it ran; see trial-failed in \"lull log\""
    case .soundCut: return "its sound was given up: \(cut(item.cause))"
    case .offloadUnanswered:
      return "\(item.detail ?? "a line"): its offload rule is not used: the peer takes no answer"
    case .probeRefused:
      let often = count == 1 ? "" : " \(count) times"
      return
        "\(item.detail ?? "a socket"): a peer of --ignore-peer asked for something else\(often), and was "
        + "turned away: name it by --answer-probe, or let that peer wake the program"
    case .linesKept:
      return "Lull keeps its connections open: \(detail). What comes there starts it; "
        + "\"lull start \(name)\" starts it with them, \"lull quit \(name)\" closes them"
    case .withoutLines:
      let start = item.cause == "started" ? "was started" : "is started once"
      return "it did not take its kept connections (\(detail)), so it \(start) without them: "
        + "have it take LISTEN_FDS, or start it without --keep-lines (docs/KEPT-LINES.md)"
    case .guardThawed: return "lull-guard woke it, and every other program, because lulld stood still"
    case .frozenElsewhere:
      return "somebody else has frozen it, such as \"podman pause\": it goes on when it is let go there"
    case .traced: return "traced by \(detail) (pid \(item.pid ?? 0)): meanwhile no limit kills it"
    case .pause:
      let silence = Int(item.silenceSeconds ?? 0)
      return "frozen in a pause of \(seconds(item)) s; --silence \(silence) would have held it"
    case .crashed: return "has crashed \(times(count)); see \"lull logs \(name)\""
    case .notStarted: return "could not be started, \(times(count)); see \"lull logs \(name)\""
    case .unmanaged: return "only heard through Lull: start it with \"lull run\" to have it managed"
    case .foreground: return "in the foreground: \"lull background \(name)\" lets it sleep"
    case .toldAlone:
      return "run without --mode voip: it sleeps only when told, by \"lull suspend \(name)\""
    case .overBudget: return "woken more often than \(count) times in \(seconds(item)) s"
    case .lookedAt:
      let tenths = max(1, Int(((item.seconds ?? 0) * 10).rounded(.up)))
      return "it sleeps if it is found idle, which is looked at in \(tenths / 10).\(tenths % 10) s"
    case .dryRun: return "it is only watched, and never held still; \"lull release \(name)\" ends that"
    case .bounded:
      let how = item.cause == Vocabulary.Bounding.kernel.rawValue ? "the kernel" : "short freezes"
      return "\(how) hold it to \(item.count ?? 0) % of a processor, until something comes for it"
    case .unbounded: return "its --cpu is not held: it has no cgroup"
    case .recordsStraight: return "it records past Lull, which cannot deny that"
    case .recordingDenied: return "it may not record; \"lull allow \(name) record\" lets it"
    case .nextFetch where item.cause != nil: return "its next fetch waits for a route to the network"
    case .nextFetch:
      let wait = item.seconds ?? 0
      return "its next fetch comes with others' wakes"
        + (wait > 0 ? ", in \(DurationText.text(seconds: wait)) at the earliest" : "")
    case nil: return [item.what.text, item.cause, item.detail].compactMap(\.self).joined(separator: ": ")
    }
  }

  private static func seconds(_ item: NoteItem) -> Int { Int((item.seconds ?? 0).rounded()) }

  static func times(_ count: Int64) -> String { count == 1 ? "once" : "\(count) times in a row" }

  /// The reason why no cgroup holds a program, or any.
  static func lack(of cause: String?, _ detail: String?) -> String {
    let detail = detail ?? ""
    return switch cause.flatMap(NoCgroup.init) {
    case .noHierarchy: "no cgroup v2 hierarchy"
    case .unwritable: "no cgroup can be written: \(detail)"
    case .notMoved: "cannot be moved into a cgroup: \(detail)"
    case .notLet: "the kernel does not let \"lull run\" start it in \(detail), from where the shell is"
    case nil: cause ?? "no cgroup"
    }
  }

  private static func cut(_ cause: String?) -> String {
    switch cause.flatMap(CutReason.init) {
    case .badPosition: "the positions in its ring contradict each other"
    case .noDevice: "no sound device can be opened; \"lull doctor\" tells more"
    case .badFormat: "the sound device cannot play its format"
    case .denied: "it may not record"
    case nil: cause ?? ""
    }
  }
}

extension InstalledReport {
  /// For `lull why` of a program that does not run; `hasRun`: an end of it is known.
  func sentence(hasRun: Bool) -> String {
    let wait = item.dueInSeconds.map { " in \(max(0, Int($0.rounded(.up)))) s" } ?? " in its turn"
    let (start, logs) = ("\"lull start \(item.name)\"", "see \"lull logs \(item.name)\"")
    let (why, times) = (item.text.map(ExplanationText.sentence) ?? logs, NoteText.times(item.restarts))
    let reason = item.reason?.text ?? ""
    return switch state {
    case .running: "it runs"
    case .starting: "it is being started (\(reason))"
    case .failed:
      "could not be started\(item.restarts > 0 ? ", \(times)" : ""): \(why); tried again\(wait)"
    case .waiting where item.restarts > 0: "has crashed \(times); started again\(wait); \(logs)"
    case .waiting: "it is started\(wait) (\(reason))"
    case .misconfigured: "cannot be started: \(why); tried again when that has changed, and by \(start)"
    case .ended:
      (hasRun ? "" : "it has not run yet, as far as is known; ")
        + (starters.map { "it is started for \($0), and by" } ?? "it is started by")
        + " the next start of lulld and \(start)"
    case .quit: "it was quit, and nothing starts it but \(start)"
    case nil: Printable.text(item.state.text)
    }
  }
}
