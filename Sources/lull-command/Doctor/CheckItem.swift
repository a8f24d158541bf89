import LullWire

/// A check of `lull doctor` in words. Its JSON is a promise, as that of items is.
struct CheckItem: Encodable {
  let name: String
  let result: Vocabulary.CheckResult
  let detail: String
  let mend: String?

  init(name: String, _ result: Vocabulary.CheckResult, _ detail: String, mend: String? = nil) {
    (self.name, self.result, self.detail, self.mend) = (name, result, detail, mend)
  }

  func encode(to encoder: any Encoder) throws {
    try encoder.add(["name": name, "result": result.rawValue, "detail": detail, "mend": mend])
  }
}

extension CheckItem {
  /// A check that the daemon has made.
  init(_ check: DaemonCheckItem) {
    let (detail, mend) = Self.words(check)
    self.init(name: "daemon \(check.name)", check.result, detail, mend: check.result == .yes ? nil : mend)
  }

  private static func words(_ check: DaemonCheckItem) -> (detail: String, mend: String?) {
    let (works, detail) = (check.result == .yes, check.detail.map(ExplanationText.sentence) ?? "")
    switch check.name {
    case "freezer":
      return (
        works ? detail : NoteText.lack(of: check.cause, check.detail),
        "delegate a cgroup v2 directory (Delegate=yes) or set LULL_CGROUP_ROOT"
      )
    case "alarm-timer":
      return (
        works ? "CLOCK_BOOTTIME_ALARM" : "CLOCK_BOOTTIME: a suspended machine is not woken",
        "give lulld CAP_WAKE_ALARM"
      )
    case "guard":
      return (works ? "lull-guard watches" : "no lull-guard", "start the daemon with lull-guard")
    case "journal":
      return (
        works ? detail : "kept in memory alone: \(detail)",
        "make room, or set XDG_STATE_HOME to a directory of your own"
      )
    case "memory": return memory(check)
    case "weights":
      return (
        works
          ? "programs in the background get a third of a share"
          : "a nice value could not be taken back: only cgroups with cpu.weight get a smaller share",
        "give lulld CAP_SYS_NICE, or enable the cpu controller in its cgroup"
      )
    case "memory-pressure": return pressure(check)
    case "oom-score":
      return (
        works ? "raised while programs sleep" : detail, "start lulld as the user of its programs"
      )
    case "notifications": return notifications(check)
    case "session":
      let sounds = check.isQuiet ? "quiet: notifications make no sound" : "notifications make their sounds"
      return ("\(check.isLocked ? "locked" : "not locked"); \(sounds)", nil)
    default: return ([check.cause, check.detail].compactMap(\.self).joined(separator: ": "), nil)
    }
  }

  private static func memory(_ check: DaemonCheckItem) -> (String, String?) {
    let swap = "add swap, or zram (zramctl, swapon)"
    return switch check.cause.flatMap(MemoryTrouble.init) {
    case .noSwap: ("no swap and no zram: the memory of sleepers stays where it is", swap)
    case .swapFull: ("swap is full: the memory of sleepers stays where it is", swap)
    case .noRights:
      (
        "lulld may not give the memory of programs back",
        "give lulld CAP_SYS_NICE, or enable the memory controller in its cgroup"
      )
    case nil: (check.cause ?? "sleepers give their memory back after 10 s", nil)
    }
  }

  private static func pressure(_ check: DaemonCheckItem) -> (String, String?) {
    let detail = check.detail ?? ""
    guard check.result == .yes else {
      return (
        "no program is warned or purged when memory is short: \(detail)",
        "boot a kernel with PSI (CONFIG_PSI, psi=1)"
      )
    }
    let now = check.cause == "short" ? "memory is short now; " : ""
    let available = check.availablePercent.map { " (now \($0) %)" } ?? ""
    return (
      "\(now)triggers on \(detail); what the machine reports counts while less than \(check.percent ?? 0) % "
        + "of its memory is available\(available)", nil
    )
  }

  private static func notifications(_ check: DaemonCheckItem) -> (String, String?) {
    let hasBus = check.cause != "no-bus"
    guard check.result != .yes else {
      return (
        check.cause == "runs" ? "lull-notify runs" : "lull-notify is started when there is something to show",
        nil
      )
    }
    return (
      check.detail.map(ExplanationText.sentence)
        ?? "lulld was started without a session bus: nothing is shown on the desktop",
      hasBus
        ? "\"lull notifications\" lists them all the same"
        : "end lulld, and start it from the desktop's session (DBUS_SESSION_BUS_ADDRESS)"
    )
  }
}
