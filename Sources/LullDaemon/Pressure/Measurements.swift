import LullChannel
import LullEngine
import LullSystem

/// Measures the memory of programs in a thread: the kernel walks through all pages of a process, and waits
/// for one that changes its mappings. The thread sends what it finds through a pipe.
final class Measurements {
  enum Source: Sendable {
    case cgroup(path: String)
    case processes([Int32])

    fileprivate var processes: [Int32] {
      switch self {
      case .cgroup(let path): (try? Cgroup.open(at: path).allProcesses()) ?? []
      case .processes(let pids): pids
      }
    }
  }

  private struct Running {
    let ticket: Ticket
    let ids: [AppID]
    let answer: DescriptorBox
    let registration: Slot
    var bytes: [UInt8] = []
  }

  private let reactor: DaemonReactor
  private let journal: Journal
  private var running: Running?

  init(_ services: SharedServices) { (reactor, journal) = (services.reactor, services.journal) }

  /// Does nothing while the thread before has not come back: the engine goes on without it then.
  func begin(_ programs: [(id: AppID, source: Source)], _ ticket: Ticket) {
    guard running == nil else { return }
    let sources = programs.map(\.source)
    journal.ignoring(
      [],
      try start(sources) { (answer, registration) in
        running = Running(
          ticket: ticket, ids: programs.map(\.id), answer: answer, registration: registration)
      })
  }

  private func start(
    _ sources: [Source], _ started: (DescriptorBox, Slot) -> Void
  ) throws(SystemError) {
    let (reading, writing) = try Pipe.open()
    try Descriptor.stopBlocking(reading.raw)
    let registration = try reactor.add(reading.raw, .readable, as: .sizes)
    guard let end = writing.take()?.take() else { return }
    do {
      try SystemThread.start {
        let end = Descriptor(owning: end)
        try? StandardStreams.write(Self.encoded(sources.map(Self.size)), to: end.raw)
      }
    } catch {
      reactor.remove(registration)
      _ = Descriptor(owning: end)
      throw error
    }
    started(reading, registration)
  }

  private static func size(_ source: Source) -> Int64 {
    source.processes.reduce(0) { sum, pid in sum + ((try? ProcessMemory.share(of: pid)) ?? 0) }
  }

  private static func encoded(_ sizes: [Int64]) -> [UInt8] {
    sizes.flatMap { size in (0..<8).map { UInt8(truncatingIfNeeded: size >> ($0 * 8)) } }
  }

  private static func decoded(_ bytes: ArraySlice<UInt8>) -> Int64 {
    bytes.reversed().reduce(0) { $0 << 8 | Int64($1) }
  }

  func ready(_ buffer: inout ReceiveBuffer) -> (ticket: Ticket, sizes: [MemorySize])? {
    guard let raw = running?.answer.raw else { return nil }
    switch journal.ignoring([], try StandardStreams.read(raw, into: &buffer)) {
    case .bytes:
      running?.bytes += buffer.received
      return nil
    case .wouldBlock: return nil
    case .endOfStream, nil: return finish()
    }
  }

  private func finish() -> (Ticket, [MemorySize])? {
    guard let done = running else { return nil }
    reactor.remove(done.registration)
    done.answer.close()
    running = nil
    let sizes = done.ids.enumerated().compactMap { index, id in
      let bytes = done.bytes.dropFirst(index * 8).prefix(8)
      return bytes.count == 8 ? MemorySize(id, bytes: Self.decoded(bytes)) : nil
    }
    return (done.ticket, sizes)
  }
}
