import Fuzzing
import LullEngine

/// Records that meet each other: few names, few processes.
struct RandomLedger {
  var random: SplitMix64

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func records(_ count: Int) -> [LedgerRecord] { (0..<count).map { _ in record() } }

  private mutating func record() -> LedgerRecord {
    switch random.below(13) {
    case 0: .began(isAfterFault: random.chance(50), isService: random.chance(50))
    case 1: random.chance(20) ? .finished : .quiet(random.chance(50))
    case 2, 3: .program(program())
    case 4: .progress(name: name(), random.pick(ReturnProgress.allCases))
    case 5: .exited(end())
    case 6, 7: .ended(end())
    case 8: .installed(installed())
    case 9: .uninstalled(name: name())
    case 10: .notification(notification())
    case 11: .recording(RecordingEntry(name(), random.pick(RecordingPermission.allCases)))
    default: .withdrawn(NotificationID(UInt32(random.below(4))), isScheduled: random.chance(50))
    }
  }

  private mutating func name() -> String { random.pick(["a", "b", "c", "phone"]) }

  private mutating func process() -> ProcessIdentity {
    ProcessIdentity(pid: Int32(random.below(3)) + 100, start: UInt64(random.below(3)))
  }

  private mutating func some<Value>(_ value: Value) -> Value? { random.chance(50) ? value : nil }

  private mutating func program() -> ProgramEntry {
    let word = some(OpenWord(random.pick([EndReason.quit, .restarted])))
    let command = CommandEntry(
      run: "run", words: "true", isFreezeExempt: random.chance(20), startedAt: some(5),
      keepAliveRanAt: some(Int64(random.below(1000))), ending: some(.quit), endWord: word)
    let exit = random.chance(20) ? end() : nil
    return ProgramEntry(
      name: name(), process: process(), suspension: random.pick(ProgramEntry.Suspension.allCases),
      cgroup: some("/a"), command: some(command), exit: exit, progress: some(.taken),
      deaths: random.below(4))
  }

  private mutating func end() -> EndEntry {
    let process = process()
    return EndEntry(
      name: name(), at: Int64(random.below(500)), process: random.chance(80) ? process : nil,
      status: random.pick([.exited(0), .exited(1), .signaled(9), .unknown]),
      reason: some(OpenWord(random.pick([EndReason.quit, .crashed]))), schemes: random.pick([[], ["sip"]]),
      hasLeft: random.chance(20))
  }

  private mutating func installed() -> InstalledEntry {
    InstalledEntry(
      name: name(), state: random.pick([.running, .waiting, .ended, .quit]), cause: some(.crash),
      restarts: Int64(random.below(3)), due: some(7), cameAt: some(3), keepAlive: some(.seconds(600)),
      lastRun: some(4),
      since: some(2))
  }

  private mutating func notification() -> NotificationEntry {
    NotificationEntry(
      id: NotificationID(UInt32(random.below(4))), program: name(),
      content: LocalNotification(body: "news", isCall: random.chance(30)), isScheduled: random.chance(50),
      date: some(.seconds(9)), due: some(7), repeats: some(.every(.seconds(60))), first: some(.seconds(1)))
  }
}
