import LullSystem
import TestSupport
import Testing

@testable import LullGuard

/// lull-guard's words to the service manager, over a real socket.
@Suite(.bounded) struct ServiceManagerTests {
  private let socket: ServiceSocket

  init() throws { socket = try ServiceSocket() }

  private func manager(watchdog: Int64? = nil) throws -> ServiceManager {
    var options = ServiceOptions()
    (options.notifySocket, options.watchdogMicroseconds) = (socket.name, watchdog)
    return try #require(ServiceManager(options))
  }

  @Test func `without a socket there is nobody to tell`() {
    #expect(ServiceManager(ServiceOptions()) == nil)
    var options = ServiceOptions()
    options.notifySocket = "/nowhere/notify"
    #expect(ServiceManager(options) == nil)
  }

  @Test func `the sign of life is given while lulld is well`() throws {
    let manager = try manager(watchdog: 16)
    manager.ready()
    #expect(try socket.next().lines.contains("READY=1"))
    #expect(manager.deadline != nil)
    try eventually("the sign of life is due") { manager.deadline.map { $0 <= Clock.boottime() } ?? false }
    manager.timeIsUp { false }
    #expect(try socket.waiting() == nil)
    try eventually("the sign of life is due") { manager.deadline.map { $0 <= Clock.boottime() } ?? false }
    manager.timeIsUp { true }
    #expect(try socket.next().lines == ["WATCHDOG=1"])
    manager.stopping()
    #expect(manager.deadline == nil)
  }

  @Test func `without a watchdog there is no timer`() throws {
    let manager = try manager()
    manager.ready()
    #expect(manager.deadline == nil)
  }

  @Test func `what nobody has read counts as not kept`() throws {
    let manager = try manager()
    let counter = try EventDescriptor()
    let event = DescriptorBox(try Descriptor.duplicating(counter.raw))
    // The datagrams wait in the socket of a service manager that reads nothing.
    #expect(!manager.store([.init(name: "one", descriptor: event)]))
    #expect(try socket.kept().map(\.name) == ["one"])
  }
}
