import LullSystem
import LullTransfers

/// Fetches what programs have asked for, and tells them of it. It waits for files, processes and signals, so
/// Lull lets it sleep whenever there is nothing to fetch.
final class Service {
  private static let mostAtOnce = 4
  private static let second: Int64 = 1_000_000_000
  private static let shortestWait = second / 10, longestWait = 120 * second
  /// The bytes after which a broken connection is an accident, and no server that is out of order.
  private static let progress: Int64 = 65_536
  /// Afterwards a transfer fails, and one that has ended is forgotten, in seconds (iOS:
  /// `timeoutIntervalForResource`).
  private static let week: Int64 = 7 * 86_400
  private static let mostRestarts = 5

  /// A transfer that went wrong waits.
  private struct Wait {
    var failures = 0
    var bytes: Int64 = 0
    /// In nanoseconds of CLOCK_BOOTTIME.
    var due: Int64 = 0
  }

  private let store: TransferStore
  private let lock: Descriptor
  private let watch: FileWatch
  private let signals: SignalDescriptor
  /// Nanoseconds without a byte after which a process hangs.
  private let patience: Int64
  private var fetches: [String: Fetch] = [:]
  private var waits: [String: Wait] = [:]
  /// The sessions that could not be told yet are told again then.
  private var tellAgainAt: Int64?
  private var conditions: Conditions?
  /// The moments at which a wait is over.
  private var dues: [Int64] = []
  private var isEnding = false

  /// `patience` is in seconds.
  init(_ store: TransferStore, lock: consuming Descriptor, patience: Int64) throws(SystemError) {
    (self.store, self.patience) = (store, patience * Self.second)
    self.lock = lock
    signals = try SignalDescriptor(blocking: [Signal.terminate, Signal.interrupt, Signal.hangUp])
    watch = try FileWatch()
    try watch.add(store.folder, .names)
  }

  func run() throws(SystemError) {
    while !isEnding {
      try turn()
      try wait()
    }
    for fetch in fetches.values { fetch.stop() }
    for fetch in fetches.values {
      _ = try Socket.poll(fetch.entry.raw, .readable, timeoutMilliseconds: 3000)
    }
  }

  private func turn() throws(SystemError) {
    try removeMarked()
    let transfers = try store.transfers()
    for (identifier, fetch) in fetches {
      look(at: fetch, of: transfers.first { $0.identifier == identifier })
    }
    let open = try store.transfers().filter(\.isOpen)
    watchConditions(open.contains(where: \.isDiscretionary))
    dues = []
    for transfer in open { goOn(transfer) }
    tell(try store.transfers())
  }

  // MARK: Waiting

  private func wait() throws(SystemError) {
    var entries = [PollEntry(watch.raw, .readable), PollEntry(signals.raw, .readable)]
    entries += fetches.values.map(\.entry) + (conditions?.entries ?? [])
    let all =
      dues + fetches.values.map { $0.deadline(patience: patience) }
      + [tellAgainAt, conditions?.deadline].compactMap(\.self)
    let left = all.min().map { max(0, $0 - Clock.boottime() + 999_999) / 1_000_000 } ?? -1
    try Socket.pollMany(&entries, timeoutMilliseconds: Int32(clamping: left))
    try watch.drain()
    if try signals.next() != nil { isEnding = true }
    conditions?.take()
  }

  private func watchConditions(_ isNeeded: Bool) {
    if !isNeeded { conditions = nil } else if conditions == nil { conditions = Conditions() }
  }

  // MARK: Transfers

  private func removeMarked() throws(SystemError) {
    for identifier in try store.marked() {
      // Its bytes are removed once nobody writes them any more.
      if let fetch = fetches[identifier] { fetch.kill() } else { forget(identifier) }
    }
  }

  private func forget(_ identifier: String) {
    waits[identifier] = nil
    store.remove(identifier)
  }

  private func goOn(_ transfer: Transfer) {
    let obstacle = transfer.isDiscretionary ? conditions?.obstacle : nil
    let fetch = fetches[transfer.identifier]
    if let obstacle {
      fetch?.stop()
      return note(obstacle, transfer)
    }
    guard fetch == nil, fetches.count < Self.mostAtOnce else { return }
    if let due = waits[transfer.identifier]?.due, due > Clock.boottime() { return dues.append(due) }
    begin(transfer) { () throws(SystemError) in
      try .asking(transfer, output: output(transfer), lock: lock.raw)
    }
  }

  private func begin(_ transfer: Transfer, _ start: () throws(SystemError) -> Fetch) {
    do throws(SystemError) { fetches[transfer.identifier] = try start() } catch {
      later("\(error)", transfer)
    }
  }

  private func output(_ transfer: Transfer) -> String { store.path(of: transfer.identifier) + ".out" }

  /// A transfer that was removed has none.
  private func look(at fetch: Fetch, of transfer: Transfer?) {
    guard let (status, output) = fetch.end() else {
      if let transfer, fetch.hangs(transfer, patience: patience) { fetch.kill() }
      return
    }
    for (identifier, other) in fetches where other === fetch { fetches[identifier] = nil }
    guard let transfer, transfer.isOpen else { return (try? removeMarked()) ?? () }
    switch fetch.state {
    case .stopping: break
    case _ where fetch.isHung:
      later("no byte came for \(patience / Self.second) s; it is tried again", transfer)
    case .asking: answered(transfer, with: status, output)
    case .fetching: ended(transfer, Verdict(status, output: output))
    }
  }

  /// The file on the server is known by its validator and its length.
  private func answered(_ transfer: Transfer, with status: ExitStatus, _ output: String) {
    guard status == .exited(0), let head = Head(output) else {
      return later(
        output.split(separator: "\n").last.map { String($0) } ?? "the server is not asked", transfer)
    }
    var transfer = transfer
    if head.status == 200 {
      let isOther =
        transfer.validator != nil && transfer.validator != head.validator
        || transfer.expectedBytes != nil && transfer.expectedBytes != head.length
      if isOther, transfer.receivedBytes > 0 { return beginAnew(transfer) }
      (transfer.validator, transfer.expectedBytes) = (head.validator, head.length)
    }
    transfer.state = .open(why: nil)
    write(transfer)
    begin(transfer) { () throws(SystemError) in
      try .fetching(
        transfer, asksAgain: head.status == 200, output: self.output(transfer), lock: lock.raw)
    }
  }

  private func ended(_ transfer: Transfer, _ verdict: Verdict) {
    switch verdict {
    case .finished: finish(transfer)
    case .changed: beginAnew(transfer)
    case .later(let reason): later(reason, transfer)
    case .failed(let reason): fail(transfer, reason)
    }
  }

  private func finish(_ transfer: Transfer) {
    do throws(SystemError) {
      var transfer = transfer
      transfer.expectedBytes = transfer.receivedBytes
      try Files.rename(transfer.partialPath, to: transfer.destination)
      (transfer.state, waits[transfer.identifier]) = (.finished, nil)
      write(transfer)
      store.removeBytes(of: transfer)
    } catch {
      fail(transfer, "cannot be moved to its place (\(error.message))")
    }
  }

  private func fail(_ transfer: Transfer, _ reason: String) {
    var transfer = transfer
    (transfer.state, waits[transfer.identifier]) = (.failed(reason), nil)
    store.removeBytes(of: transfer)
    write(transfer)
  }

  private func beginAnew(_ transfer: Transfer) {
    guard transfer.restarts < Self.mostRestarts else {
      return fail(transfer, "the server changes the file again and again, or refuses to go on")
    }
    var transfer = transfer
    store.removeBytes(of: transfer)
    (transfer.validator, transfer.expectedBytes) = (nil, nil)
    transfer.restarts += 1
    later("the file has changed on the server; it is begun anew", transfer)
  }

  /// The wait doubles as long as hardly a byte comes.
  private func later(_ reason: String, _ transfer: Transfer) {
    guard Clock.realtime() / Self.second < transfer.addedAt + Self.week else {
      return fail(transfer, "not fetched within seven days: \(reason)")
    }
    var wait = waits[transfer.identifier] ?? Wait()
    let bytes = transfer.receivedBytes
    wait.failures = bytes >= wait.bytes + Self.progress ? 0 : min(wait.failures + 1, 12)
    wait.bytes = bytes
    wait.due = Clock.boottime() + min(Self.longestWait, Self.shortestWait << Int64(wait.failures))
    waits[transfer.identifier] = wait
    note(reason, transfer)
  }

  private func note(_ why: String, _ transfer: Transfer) {
    var transfer = transfer
    transfer.state = .open(why: why)
    write(transfer)
  }

  private func write(_ transfer: Transfer) {
    let before = store.transfer(transfer.identifier)
    guard before != transfer else { return }
    if before?.state != transfer.state {
      say("\(transfer.url): \([transfer.word, transfer.reason].compactMap(\.self).joined(separator: ", "))")
    }
    do throws(SystemError) { try store.write(transfer) } catch { say("\(error)") }
  }

  // MARK: Telling

  /// A program is told when nothing of the session is open, and when something has failed.
  private func tell(_ transfers: [Transfer]) {
    let now = Clock.boottime()
    guard tellAgainAt.map({ $0 <= now }) ?? true else { return }
    tellAgainAt = nil
    var rest = transfers[...]
    while let first = rest.first {
      let session = rest.filter { ($0.session, $0.program) == (first.session, first.program) }
      rest.removeAll { ($0.session, $0.program) == (first.session, first.program) }
      let news = session.filter { !$0.isOpen && !$0.isTold }
      if !news.isEmpty, !session.contains(where: \.isOpen) || news.contains(where: { $0.state != .finished })
      {
        tell(news, of: first)
      }
      for transfer in session where transfer.isTold && isOld(transfer) { forget(transfer.identifier) }
    }
  }

  private func tell(_ news: [Transfer], of session: Transfer) {
    if let program = session.program {
      switch Teller.tell(program, of: session.session) {
      case .told: break
      case .pointless(let reason): say("\(program) is not told of \(session.session): \(reason)")
      case .later(let reason):
        say("\(program) is told of \(session.session) later: \(reason)")
        tellAgainAt = Clock.boottime() + 60 * Self.second
        return
      }
    }
    for var transfer in news {
      transfer.isTold = true
      write(transfer)
    }
  }

  private func isOld(_ transfer: Transfer) -> Bool {
    let written = FileVersion(store.path(of: transfer.identifier))?.modified ?? .max
    return written / Self.second < Clock.realtime() / Self.second - Self.week
  }

  private func say(_ text: String) {
    try? StandardStreams.write(Array("\(text)\n".utf8), to: StandardStreams.output)
  }
}
