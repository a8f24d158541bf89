import LullEngine
import LullModel
import TestSupport
import Testing

@Suite(.bounded) struct LedgerReturnTests {
  private static let policy = SupervisionPolicy()
  private static let process = ProcessIdentity(pid: 100, start: 1)

  private static func program(
    isCommand: Bool = true, deaths: Int = 0, word: EndReason? = nil, exit: EndEntry? = nil
  ) -> ProgramEntry {
    let end = word.map { OpenWord($0) }
    let command = isCommand ? CommandEntry(run: "run", words: "phone", endWord: end) : nil
    return ProgramEntry(
      name: "phone", process: process, suspension: .cgroup, command: command, exit: exit, deaths: deaths)
  }

  private static func end(_ status: LullModel.ExitStatus, _ reason: EndReason?, at: Int64 = 5) -> EndEntry {
    EndEntry(
      name: "phone", at: at, process: process, status: status, reason: reason.map { OpenWord($0) })
  }

  // MARK: Programs

  private static let noted = end(.exited(1), nil, at: 3)
  private static let poison = policy.maximumDeaths

  @Test(
    arguments: [
      (program(), true, false, .adopted(exit: nil)),
      (program(), true, true, .adopted(exit: nil)),
      (program(), false, true, .adopted(exit: end(.unknown, nil))),
      (program(exit: noted), false, true, .adopted(exit: end(.exited(1), .crashed, at: 3))),
      (program(), false, false, .over(end(.unknown, nil))),
      (program(exit: noted), false, false, .over(end(.exited(1), .crashed, at: 3))),
      (program(word: .quit, exit: noted), false, false, .over(end(.exited(1), .quit, at: 3))),
      (program(word: .quit), false, false, .over(end(.unknown, .quit))),
      (program(isCommand: false), true, false, .registersAgain),
      (program(isCommand: false), false, true, .over(end(.unknown, nil))),
      (program(isCommand: false), false, false, .over(end(.unknown, nil))),
      (program(deaths: poison - 1), true, false, .adopted(exit: nil)),
      (program(deaths: poison), true, false, .leftRunning),
      (program(deaths: poison), false, true, .leftRunning),
      (program(deaths: poison), false, false, .over(end(.unknown, nil))),
      (program(isCommand: false, deaths: poison), true, false, .leftRunning),
    ] as [(ProgramEntry, Bool, Bool, LedgerReturn)])
  func `what becomes of a program`(
    program: ProgramEntry, runs: Bool, othersRun: Bool, becomes: LedgerReturn
  ) {
    let ledger = Ledger([.program(program)])
    #expect(ledger.fate(of: program, runs: runs, othersRun: othersRun, at: 5, Self.policy) == becomes)
  }

  // MARK: Installed programs

  /// The last records of the supervisor before, and the ends that are found since.
  struct Case: CustomTestStringConvertible {
    var supervisor: [LedgerRecord] = [.began(isAfterFault: false)]
    var state: InstalledState?
    /// The end of an earlier life.
    var before: EndEntry?
    var ran = false
    var found: EndEntry?
    var comesBack = false
    var isFirst = false
    var hasLines = false
    var begins: InstalledBeginning

    var testDescription: String { "\(state.map { "\($0)" } ?? "-") \(found?.reason?.text ?? "-") \(begins)" }
  }

  private static let finished: [LedgerRecord] = [.began(isAfterFault: false), .finished]
  private static let crash = end(.signaled(11), .crashed), done = end(.exited(0), .exited)
  private static let limit = end(.signaled(9), .launchLimit), purge = end(.signaled(9), .purged)
  private static let unknown = end(.unknown, nil), again = end(.signaled(15), .restarted)

  @Test(arguments: [
    // A program that was quit stays so, whatever comes.
    Case(state: .quit, begins: .quit), Case(state: .quit, ran: true, found: crash, begins: .quit),
    Case(state: .quit, comesBack: true, begins: .quit),
    Case(supervisor: finished, state: .quit, begins: .quit),
    Case(supervisor: [], state: .quit, begins: .quit),
    // A program that comes back by itself is waited for.
    Case(state: .running, comesBack: true, begins: .returning),
    Case(supervisor: finished, state: .ended, comesBack: true, begins: .returning),
    // Its last life decides.
    Case(state: .running, ran: true, found: crash, begins: .lost),
    Case(state: .running, ran: true, found: unknown, begins: .lost),
    Case(state: .running, ran: true, found: limit, begins: .lost),
    Case(state: .running, ran: true, begins: .lost),
    Case(state: .running, ran: true, found: done, begins: .ended),
    Case(state: .running, ran: true, found: again, begins: .waiting),
    // It decides also for a program that had still to come back, and was to be started otherwise.
    Case(state: .waiting, ran: true, found: done, begins: .ended),
    Case(state: .waiting, ran: true, found: crash, begins: .lost),
    // The end of an earlier life says nothing of a life whose end nobody knows.
    Case(state: .running, before: done, ran: true, begins: .lost),
    Case(state: .running, before: done, ran: true, found: crash, begins: .lost),
    // The supervisor has told the end, and not what follows from it.
    Case(state: .running, before: done, begins: .ended), Case(state: .running, before: crash, begins: .lost),
    Case(state: .running, before: again, begins: .waiting), Case(state: .running, begins: .lost),
    // An ended program stays so, and a program that was about to be started is.
    Case(state: .ended, begins: .ended), Case(state: .ended, before: crash, begins: .ended),
    Case(state: .waiting, begins: .waiting), Case(state: .waiting, before: crash, begins: .waiting),
    // The first supervisor of a guard starts the installed programs, and a purged one comes back by itself.
    Case(state: .ended, isFirst: true, begins: .boot), Case(state: .quit, isFirst: true, begins: .quit),
    Case(state: .running, ran: true, found: done, isFirst: true, begins: .boot),
    Case(state: .ended, before: purge, isFirst: true, begins: .waiting),
    Case(state: .ended, before: purge, isFirst: true, hasLines: true, begins: .boot),
    Case(state: .ended, before: purge, begins: .ended),
    // The boot is owed until it was done.
    Case(supervisor: [.began(isAfterFault: false, boots: false)], state: .ended, begins: .boot),
    Case(supervisor: [.began(isAfterFault: false, boots: false), .booted], state: .ended, begins: .ended),
    // The program's file has come while nobody looked.
    Case(begins: .ended), Case(isFirst: true, begins: .boot), Case(before: crash, begins: .ended),
    Case(ran: true, found: crash, begins: .lost), Case(ran: true, found: done, begins: .ended),
    // After an end in good order, and at the start of the machine, everything is started but what crashed.
    Case(supervisor: finished, state: .ended, begins: .boot), Case(supervisor: finished, begins: .boot),
    Case(supervisor: finished, state: .running, ran: true, found: done, begins: .boot),
    Case(supervisor: finished, state: .running, ran: true, found: unknown, begins: .boot),
    Case(supervisor: finished, state: .running, ran: true, found: crash, begins: .lost),
    Case(supervisor: [], state: .running, begins: .boot), Case(supervisor: [], begins: .boot),
    // Its end in a life before that start says nothing.
    Case(supervisor: [], state: .running, before: crash, begins: .boot),
    Case(supervisor: finished, state: .running, before: crash, begins: .boot),
  ])
  func `what becomes of an installed program`(_ given: Case) {
    var predecessor = Ledger()
    if var before = given.before {
      before.process?.start = 0
      predecessor.apply(.ended(before))
    }
    for record in given.supervisor { predecessor.apply(record) }
    if let state = given.state { predecessor.apply(.installed(InstalledEntry(name: "phone", state: state))) }
    if given.ran { predecessor.apply(.program(Self.program())) }
    var ledger = predecessor
    ledger.apply(.began(isAfterFault: false))
    if let found = given.found { ledger.apply(.ended(found)) }
    let begins = ledger.beginning(
      of: "phone", after: predecessor, comesBack: given.comesBack, isFirst: given.isFirst,
      hasLines: given.hasLines, Self.policy)
    #expect(begins == given.begins)
  }

  @Test func `only the parent of a program that was being started may hand it over`() {
    func mayBe(_ records: LedgerRecord...) -> Bool {
      Ledger([.began(isAfterFault: false)] + records).mayBeHandedOver("phone")
    }
    func installed(_ state: InstalledState, due: Int64? = nil) -> LedgerRecord {
      .installed(InstalledEntry(name: "phone", state: state, due: due))
    }
    #expect(mayBe() && mayBe(installed(.waiting)))
    // It is taken back by its process, has ended, waits after a crash.
    #expect(!mayBe(.program(Self.program())) && !mayBe(installed(.waiting), .program(Self.program())))
    #expect(!mayBe(.ended(Self.crash)) && !mayBe(installed(.running), .ended(Self.crash)))
    #expect(!mayBe(installed(.waiting, due: 50)) && !mayBe(installed(.ended)) && !mayBe(installed(.quit)))
  }

  @Test func `an end that the supervisor before had told is none that this one saw`() {
    let predecessor = Ledger([.began(isAfterFault: false), .ended(Self.crash)])
    var ledger = predecessor
    #expect(
      !Ledger().sawEnd(of: "phone", after: predecessor) && !ledger.sawEnd(of: "phone", after: predecessor))
    #expect(ledger.sawEnd(of: "phone", after: Ledger()))
    ledger.apply(.ended(EndEntry(name: "phone", at: 99, status: .exited(0))))
    #expect(ledger.sawEnd(of: "phone", after: predecessor) && !ledger.sawEnd(of: "other", after: predecessor))
  }

  @Test func `a program of which supervisors died is not started, nor for its keep-alive`() {
    let entry = InstalledEntry(name: "phone", state: .running, keepAlive: .seconds(600), lastRun: 7)
    let predecessor = Ledger([
      .began(isAfterFault: false), .installed(entry), .program(Self.program(deaths: Self.poison)),
    ])
    #expect(predecessor.isPoison("phone", Self.policy) && !predecessor.isPoison("other", Self.policy))
    #expect(predecessor.beginning(of: "phone", after: predecessor, comesBack: true, Self.policy) == .ended)
    #expect(predecessor.past(of: "phone", StillClock(), Self.policy).keepAlive == nil)
    let innocent = Ledger([.installed(entry), .program(Self.program(deaths: Self.poison - 1))])
    let past = innocent.past(of: "phone", StillClock(), Self.policy)
    #expect(past.keepAlive == .seconds(600) && past.lastKeepAliveRun == Moment(nanoseconds: 7))
    #expect(innocent.past(of: "other", StillClock(), Self.policy) == InstalledPast())
  }

  @Test func `one that was ended to be started again is started for a person`() {
    let entry = InstalledEntry(name: "phone", state: .running, cause: .boot)
    var ledger = Ledger([.began(isAfterFault: false), .installed(entry), .ended(Self.again)])
    #expect(ledger.past(of: "phone", StillClock(), Self.policy).reason == .user)
    var crash = Self.crash
    crash.process?.start += 1
    ledger.apply(.ended(crash))
    #expect(ledger.past(of: "phone", StillClock(), Self.policy).reason == .boot)
  }

  private struct StillClock: LedgerClock {
    var boottimeNow: Int64 { 0 }
    var wallNow: Int64 { 0 }
    func boottime(at moment: Moment) -> Int64 { moment.nanoseconds }
    func moment(atBoottime nanoseconds: Int64) -> Moment { Moment(nanoseconds: nanoseconds) }
  }
}
