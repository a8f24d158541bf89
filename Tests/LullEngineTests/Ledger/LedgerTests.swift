import LullEngine
import LullModel
import TestSupport
import Testing

@Suite(.bounded) struct LedgerTests {
  private let first = ProcessIdentity(pid: 100, start: 1)
  private let second = ProcessIdentity(pid: 100, start: 2)

  private func program(
    _ name: String = "phone", _ process: ProcessIdentity? = nil, word: EndReason? = nil, ranAt: Int64? = nil
  ) -> ProgramEntry {
    let command = CommandEntry(
      run: "run", words: "phone", keepAliveRanAt: ranAt, endWord: word.map { OpenWord($0) })
    return ProgramEntry(name: name, process: process ?? first, suspension: .cgroup, command: command)
  }

  private func end(
    _ process: ProcessIdentity?, _ status: LullModel.ExitStatus = .unknown, for reason: EndReason? = nil,
    at: Int64 = 1
  ) -> EndEntry {
    EndEntry(
      name: "phone", at: at, process: process, status: status, reason: reason.map { OpenWord($0) })
  }

  // MARK: Snapshots

  @Test(arguments: 1...200 as ClosedRange<UInt64>)
  func `the snapshot of any ledger makes an equal one`(seed: UInt64) {
    var maker = RandomLedger(seed: seed), ledger = Ledger()
    for record in maker.records(300) {
      let before = ledger
      let isChanged = ledger.apply(record)
      #expect(isChanged == (ledger != before))
      #expect(ledger.ends.count <= Ledger.maximumEnds)
    }
    #expect(Ledger(ledger.snapshot()) == ledger)
    // Records that are read twice make the same ledger.
    let lasting = Ledger(ledger.lastingSnapshot())
    #expect(Ledger(lasting.lastingSnapshot()) == lasting)
    #expect(ledger.afterBoot().afterBoot() == ledger.afterBoot())
  }

  @Test func `what outlives the machine has no processes, and does not say how often something crashed`() {
    let quit = InstalledEntry(name: "a", state: .quit, restarts: 3)
    let call = LocalNotification(body: "call", isCall: true)
    let ledger = Ledger([
      .began(isAfterFault: false), .program(program()), .installed(quit),
      .installed(InstalledEntry(name: "b", state: .waiting, restarts: 2, due: 9, cameAt: 5)),
      .installed(InstalledEntry(name: "c", state: .ended, cameAt: 5)),
      .installed(InstalledEntry(name: "d", state: .ended)),
      .notification(.init(id: NotificationID(1), program: "a", content: call, isScheduled: false)),
      .notification(.init(id: NotificationID(2), program: "a", content: call, isScheduled: true)),
    ])
    let lasting = Ledger(ledger.lastingSnapshot { $0 == "d" })
    #expect(lasting.programs.isEmpty)
    #expect(lasting.installed.map(\.state) == [.quit, .running, .ended, .running])
    #expect(lasting.installed[1] == InstalledEntry(name: "b", state: .running))
    #expect(lasting.notifications.map(\.id) == [NotificationID(2)])
  }

  @Test func `a machine that was started since has no moments of the clock before`() {
    let content = LocalNotification(body: "news")
    let ledger = Ledger([
      .began(isAfterFault: false, isService: true),
      .installed(
        InstalledEntry(
          name: "a", state: .ended, cause: .crash, cameAt: 5, keepAlive: .seconds(600), lastRun: 9)),
      .notification(
        .init(
          id: NotificationID(1), program: "a", content: content, isScheduled: true, date: .seconds(99), due: 8
        )),
      .ended(end(first, .exited(0))),
    ]).afterBoot()
    #expect(ledger.supervisor == .none && !ledger.isService)
    #expect(ledger.installed == [InstalledEntry(name: "a", state: .ended)])
    #expect(ledger.notifications[0].due == nil && ledger.notifications[0].date == .seconds(99))
    #expect(ledger.ends.map(\.process) == [nil])
  }

  @Test func `what is installed is to be booted, also when the supervisor dies before it has begun with it`()
  {
    var ledger = Ledger([
      .began(isAfterFault: false),
      .installed(InstalledEntry(name: "a", state: .ended, restarts: 3, keepAlive: .seconds(600), since: 1)),
      .installed(InstalledEntry(name: "b", state: .quit)), .finished, .began(isAfterFault: false),
    ])
    #expect(ledger.installed.map(\.state) == [.waiting, .quit])
    #expect(ledger.installed[0] == InstalledEntry(name: "a", state: .waiting))
    ledger.apply(.installed(InstalledEntry(name: "a", state: .ended)))
    ledger.apply(.began(isAfterFault: false))
    #expect(ledger.installed[0].state == .ended)
  }

  @Test func `so is what no ledger has named yet, where no supervisor ran`() {
    let quit = LedgerRecord.installed(InstalledEntry(name: "a", state: .quit))
    let first = Ledger([quit]).next(isAfterFault: false) { ["a", "b"] }
    #expect(first.installed.map(\.state) == [.quit, .waiting] && first.supervisor == .begun)
    let second = first.next(isAfterFault: false) { ["a", "b", "c"] }
    #expect(second.installed.map(\.name) == ["a", "b"])
    let policy = SupervisionPolicy()
    #expect(second.beginning(of: "b", after: first, comesBack: false, policy) == .waiting)
  }

  // MARK: Ends

  @Test func `an end is one however often it is told, and the best of what is told of it stays`() {
    let ended = Ledger([
      .program(program()), .ended(end(first)), .exited(end(first, .signaled(11), for: .crashed)),
    ])
    #expect(ended.programs.isEmpty)
    #expect(ended.ends == [end(first, .signaled(11), for: .crashed)])
    let exited = Ledger([
      .program(program()), .exited(end(first, .exited(3), for: .crashed)),
      .ended(end(first, at: 9)),
    ])
    #expect(exited.ends == [end(first, .exited(3), for: .crashed)])
  }

  @Test func `an end without a process is that of the managed life, and one of another life is not`() {
    var ledger = Ledger([.program(program("phone", second)), .ended(end(first, .exited(0)))])
    #expect(ledger.program("phone") != nil && ledger.ends.map(\.process) == [first])
    ledger.apply(.ended(end(nil, .exited(1))))
    #expect(ledger.program("phone") == nil && ledger.ends.map(\.process) == [first, second])
  }

  @Test func `others of a program may go on`() {
    let ledger = Ledger([.program(program()), .exited(end(first, .exited(0)))])
    #expect(ledger.program("phone")?.exit == end(first, .exited(0)) && ledger.ends.isEmpty)
  }

  @Test func `a parent that tells of an end does not know who had asked for it`() {
    let told = end(first, .signaled(15), for: .terminated)
    let ledger = Ledger([.program(program(word: .quit)), .exited(told), .ended(told)])
    #expect(ledger.ends == [end(first, .signaled(15), for: .quit)])
  }

  @Test func `one that goes on is over when its process is`() {
    var left = end(first)
    left.hasLeft = true
    let known = end(first, .exited(1), for: .crashed, at: 7)
    let ledger = Ledger([.program(program()), .ended(left), .exited(known)])
    #expect(ledger.ends == [known])
  }

  @Test func `the oldest end is forgotten, and not told anew; a set clock loses none`() {
    var ledger = Ledger()
    for number in 0...UInt64(Ledger.maximumEnds) {
      ledger.apply(.ended(end(ProcessIdentity(pid: 1, start: number), at: Int64(number) + 10)))
    }
    #expect(ledger.ends.count == Ledger.maximumEnds && ledger.ends[0].at == 11)
    let known = ledger
    ledger.apply(.exited(end(ProcessIdentity(pid: 1, start: 0), at: 10)))
    #expect(ledger == known)
    ledger.apply(.program(program()))
    ledger.apply(.ended(end(first, .exited(0), at: 3)))
    #expect(ledger.ends.count == Ledger.maximumEnds && ledger.ends.last?.process == first)
  }

  // MARK: Lives

  @Test func `what is known of a life is not forgotten when it is told anew`() {
    var known = program(word: .quit, ranAt: 50)
    (known.deaths, known.progress, known.exit) = (2, .taking, end(first, .exited(0)))
    known.command?.ending = .quit
    let ledger = Ledger([.program(known), .program(program(ranAt: 40))])
    #expect(ledger.program("phone") == known)
    let other = Ledger([.program(known), .program(program("phone", second))])
    #expect(other.program("phone") == program("phone", second))
  }

  @Test func `the keep-alive of an installed program counts from its last run, whoever sees its end`() {
    let entry = InstalledEntry(
      name: "phone", state: .running, keepAlive: .seconds(600), lastRun: 20, since: 3)
    for (ranAt, lastRun) in [(50, 50), (10, 20), (nil, 20)] as [(Int64?, Int64)] {
      let ledger = Ledger([.installed(entry), .program(program(ranAt: ranAt)), .ended(end(first))])
      #expect(ledger.installed("phone")?.lastRun == lastRun)
    }
  }

  @Test func `a fault is blamed on the program that is being taken back, or else frozen`() {
    func deaths(_ progress: [ReturnProgress?], isAfterFault: Bool = true) -> [Int] {
      var records = progress.indices.map { LedgerRecord.program(program("p\($0)")) }
      for (place, progress) in progress.enumerated() {
        if let progress { records.append(.progress(name: "p\(place)", progress)) }
      }
      let ledger = Ledger(records + [.began(isAfterFault: isAfterFault)])
      #expect(ledger.programs.allSatisfy { $0.progress == nil })
      return ledger.programs.map(\.deaths)
    }
    #expect(deaths([.taken, .trying, .taking, nil]) == [0, 0, 1, 0])
    #expect(deaths([.taken, .trying, .tried, nil]) == [0, 1, 0, 0])
    #expect(deaths([.taken, .tried, nil]) == [0, 0, 0])
    #expect(deaths([.taking], isAfterFault: false) == [0])
  }

  @Test func `one that was frozen has no deaths any more`() {
    var entry = program()
    entry.deaths = 2
    #expect(Ledger([.program(entry), .progress(name: "phone", .tried)]).programs.map(\.deaths) == [0])
  }

  // MARK: Notifications

  @Test func `one that is shown waits no longer, unless it repeats`() {
    func notification(isScheduled: Bool, repeats: RepeatRule? = nil) -> LedgerRecord {
      .notification(
        .init(
          id: NotificationID(1), program: "a", content: LocalNotification(body: "news"),
          isScheduled: isScheduled, repeats: repeats))
    }
    func scheduled(_ repeats: RepeatRule?) -> [Bool] {
      Ledger([notification(isScheduled: true, repeats: repeats), notification(isScheduled: false)])
        .notifications.map(\.isScheduled)
    }
    #expect(scheduled(nil) == [false])
    #expect(scheduled(.every(.seconds(60))) == [true, false])
  }
}
