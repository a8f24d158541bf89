import LullChannel
import LullEngine
import LullGuard
import LullSystem
import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct MeasurementsTests {
  private let services: SharedServices
  private let measurements: Measurements

  init() throws {
    services = try SharedServices(DaemonOptions())
    measurements = try Measurements(services)
  }

  private func answer() throws -> (ticket: Ticket, sizes: [MemorySize]) {
    for _ in 0..<100 {
      try ready(services.reactor.raw, .readable, "no sizes came")
      try services.reactor.wait(timeoutMilliseconds: 0)
      if let answer = measurements.takeAnswer() { return answer }
    }
    throw Missing()
  }

  @Test func `each program has the sum of its processes, and one that has ended nothing`() throws {
    let own = Identity.pid()
    let ids = (0..<3).map { AppID(slot: $0, generation: 7) }
    let sources: [Measurements.Source] = [.processes([own]), .processes([]), .cgroup(path: "/nowhere")]
    measurements.begin(Array(zip(ids, sources)).map { (id: $0.0, source: $0.1) }, Ticket(5))
    let (ticket, sizes) = try answer()
    #expect(ticket == Ticket(5) && sizes.map(\.id) == ids)
    #expect(sizes[0].bytes > 1 << 20 && sizes[1].bytes == 0 && sizes[2].bytes == 0)
  }

  @Test func `a second measurement begins after the first one`() throws {
    let id = AppID(slot: 0, generation: 0)
    measurements.begin([(id, .processes([Identity.pid()]))], Ticket(1))
    measurements.begin([(id, .processes([]))], Ticket(2))
    #expect(try answer().ticket == Ticket(1))
    measurements.begin([(id, .processes([]))], Ticket(3))
    #expect(try answer().ticket == Ticket(3))
  }
}
