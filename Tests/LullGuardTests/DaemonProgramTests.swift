import LullEngine
import LullSystem
import TestSupport
import Testing

@testable import LullGuard

@Suite(.bounded) struct DaemonProgramTests {
  private let policy = SupervisionPolicy()

  private func program() throws -> DaemonProgram {
    var options = DaemonOptions()
    (options.boots, options.wanted) = (false, "phone")
    return DaemonProgram(
      "/x/lulld", listener: DescriptorBox(try Files.openNull()), options: options, policy: policy)
  }

  /// The options that the next lulld reads.
  private func options(_ program: DaemonProgram) throws -> DaemonOptions {
    let words = program.request.arguments.map { String(decoding: $0, as: UTF8.self) }
    #expect(words[0] == "/x/lulld")
    return try DaemonOptions.parse(Array(words.dropFirst()), usage: "")
  }

  @Test func `the first one hears what the guard was started for, the next one does not`() throws {
    let program = try program()
    let first = try options(program)
    #expect(first.isGuarded && !first.boots && first.wanted == "phone" && first.restarts == 0)
    #expect(program.died(after: policy.shortLife.nanoseconds, crashed: false) == 0)
    let next = try options(program)
    #expect(next.boots && next.wanted == nil && !next.crashed && next.restarts == 1)
  }

  @Test func `a fault is told until one has begun`() throws {
    let program = try program()
    program.began()
    _ = program.died(after: 0, crashed: true)
    #expect(try options(program).crashed)
    // One that is killed at its start.
    _ = program.died(after: 0, crashed: false)
    #expect(try options(program).crashed)
    _ = program.failed()
    #expect(try options(program).crashed)
    program.began()
    #expect(try !options(program).crashed)
    _ = program.died(after: 0, crashed: false)
    #expect(try !options(program).crashed)
  }

  @Test func `one that has given way counts as no restart`() throws {
    let program = try program()
    _ = program.died(after: 0, crashed: true)
    program.gaveWay()
    let next = try options(program)
    #expect(next.restarts == 1 && !next.crashed && next.boots)
  }

  @Test func `one that dies again and again is started later and later, for ever`() throws {
    let program = try program()
    let waits = (1...40).map { _ in program.died(after: 0, crashed: true) }
    #expect(waits[0] == 0 && waits.last == policy.backoffLast.nanoseconds)
    #expect(program.died(after: policy.shortLife.nanoseconds, crashed: true) == 0)
  }
}
