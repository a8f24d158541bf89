import LullEngine
import LullSystem
import LullWire

extension Daemon {
  func doctor(_ client: Client) -> Reply? {
    let (alarm, root) = (deadlines.wakesMachine, suspenders.root)
    let checks = [
      check(
        "freezer", result: root == nil ? .limited : .yes, detail: root ?? suspenders.remark ?? "",
        mend: root == nil
          ? "delegate a cgroup v2 directory (Delegate=yes) or set LULL_CGROUP_ROOT" : nil),
      check(
        "alarm-timer", result: alarm ? .yes : .limited,
        detail: alarm ? "CLOCK_BOOTTIME_ALARM" : "CLOCK_BOOTTIME: a suspended machine is not woken",
        mend: alarm ? nil : "give lulld CAP_WAKE_ALARM"),
      check(
        "guard", result: guardianship.isThere ? .yes : .limited,
        detail: guardianship.isThere ? "lull-guard watches" : "no lull-guard",
        mend: guardianship.isThere ? nil : "start the daemon with lull-guard"),
      journalCheck, pressureCheck, scoreCheck, desktopCheck, sessionCheck,
    ]
    return answer(Report(checks + careChecks), client)
  }

  private var journalCheck: Message {
    journalFile.takeProgress(journal)
    let failure = journalFile.failure
    return check(
      "journal", result: failure == nil ? .yes : .limited,
      detail: failure.map { "kept in memory alone: \($0)" } ?? journalFile.path ?? "",
      mend: failure == nil ? nil : "make room, or set XDG_STATE_HOME to a directory of your own")
  }

  private var pressureCheck: Message {
    watchPressure()
    let paths = pressure.paths
    guard paths.isEmpty else {
      let now = host.engine.isMemoryShort ? "memory is short now; " : ""
      let places = paths.joined(separator: ", ")
      let available = pressure.availablePercent.map { " (now \($0) %)" } ?? ""
      let rule =
        "what the machine reports counts while less than \(host.policy.pressure.shortPercent) % of its "
        + "memory is available\(available)"
      return check("memory-pressure", result: .yes, detail: "\(now)triggers on \(places); \(rule)", mend: nil)
    }
    return check(
      "memory-pressure", result: .limited,
      detail: "no program is warned or purged when memory is short: \(pressure.failure?.description ?? "")",
      mend: "boot a kernel with PSI (CONFIG_PSI, psi=1)")
  }

  private var scoreCheck: Message {
    check(
      "oom-score", result: scores.failure == nil ? .yes : .limited,
      detail: scores.failure?.description ?? "raised while programs sleep",
      mend: scores.failure == nil ? nil : "start lulld as the user of its programs")
  }

  private var desktopCheck: Message {
    let hasBus =
      Identity.environment("DBUS_SESSION_BUS_ADDRESS") != nil
      || Identity.environment("XDG_RUNTIME_DIR").map { Files.exists($0 + "/bus") } ?? false
    let without = "lulld was started without a session bus: nothing is shown on the desktop"
    let trouble = presenter.trouble ?? (hasBus ? nil : without)
    let state =
      presenter.pid == nil ? "lull-notify is started when there is something to show" : "lull-notify runs"
    return check(
      "notifications", result: trouble == nil ? .yes : .limited, detail: trouble ?? state,
      mend: trouble == nil
        ? nil
        : hasBus
          ? "\"lull notifications\" lists them all the same"
          : "end lulld, and start it from the desktop's session (DBUS_SESSION_BUS_ADDRESS)")
  }

  private var sessionCheck: Message {
    let lock = host.engine.isLocked ? "locked" : "not locked"
    let sounds = isQuiet ? "quiet: notifications make no sound" : "notifications make their sounds"
    return check("session", result: .yes, detail: "\(lock); \(sounds)", mend: nil)
  }

  func check(_ name: String, result: Vocabulary.CheckResult, detail: String, mend: String?)
    -> Message
  {
    CheckItem(name: name, result, detail, mend: mend).message
  }
}
