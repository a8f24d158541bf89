import LullEngine

/// The files of the ledger: the one of the runtime directory, and the lasting one, which a thread writes.
struct MortalFiles {
  private(set) var runtime: [LedgerRecord]?
  private(set) var lasting: [LedgerRecord]?
  var isFull = false
  private var wanted: [LedgerRecord]?
  private var underWay: (records: [LedgerRecord], until: Int64)?
  private var notBefore: Int64 = 0

  /// The ledger of the daemon before, as the next one finds it, and whether the machine has run on.
  var predecessor: (ledger: LullEngine.Ledger, isOfThisBoot: Bool) {
    if let runtime { return (LullEngine.Ledger(runtime), true) }
    return (LullEngine.Ledger(lasting ?? []).afterBoot(), false)
  }

  mutating func append(_ records: some Sequence<LedgerRecord>) {
    runtime = (runtime ?? []) + records
  }

  mutating func replace(with records: [LedgerRecord]) { runtime = records }

  /// A parent notes an end in both files.
  mutating func note(_ end: EndEntry) {
    append([.exited(end)])
    if !isFull, lasting != nil { lasting?.append(.exited(end)) }
  }

  // MARK: The thread

  mutating func wantLasting(_ records: [LedgerRecord]) { wanted = records }

  mutating func stopWriting() { (wanted, underWay) = (nil, nil) }

  var next: Int64 { underWay?.until ?? (wanted == nil ? .max : notBefore) }

  mutating func write(_ chance: inout Chance, at now: Int64) {
    if let done = underWay {
      underWay = nil
      notBefore = now + (isFull ? 10_000_000_000 : 1_000_000_000)
      // Records that a full disk has refused are written later, unless newer ones are.
      if isFull { wanted = wanted ?? done.records } else { lasting = done.records }
    } else if let records = wanted {
      wanted = nil
      underWay = (records, now + Int64(chance.below(chance.happens(100) ? 5_000_000_000 : 20_000_000)))
    }
  }

  mutating func reboot() {
    runtime = nil
    stopWriting()
  }
}
