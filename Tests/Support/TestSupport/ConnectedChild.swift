package import LullSystem
import Testing

package import enum LullSystem.ExitStatus

/// A process that a test started, with its standard streams.
package final class ConnectedChild {
  /// The process's standard output, and its standard input unless that was given.
  package let output: Channel
  package let errors: Channel
  private let child: Child

  package init(
    _ arguments: [String], environment: [String] = [], input: Int32? = nil,
    passed: [SpawnRequest.Passed] = [], group: SpawnRequest.Group = .newGroup
  ) throws {
    let (output, outputEnd) = try UnixSocket.pair()
    let (errors, errorsEnd) = try UnixSocket.pair()
    var request = SpawnRequest(arguments)
    request.setEnvironment(environment)
    request.standardInput = input ?? outputEnd.raw
    request.standardOutput = outputEnd.raw
    request.standardError = errorsEnd.raw
    request.passed = passed
    request.group = group
    child = try Child(request)
    outputEnd.close()
    errorsEnd.close()
    self.output = Channel(output, name: "the output of \(arguments[0])")
    self.errors = Channel(errors, name: "the errors of \(arguments[0])")
  }

  package var pid: Int32 { child.pid }

  package var pidfd: Int32 { child.pidfd }

  package var isAlive: Bool {
    get throws { try Socket.poll(child.pidfd, .readable, timeoutMilliseconds: 0).isEmpty }
  }

  package func signal(_ number: Int32) throws { try child.signal(number) }

  /// Waits for its end.
  @discardableResult
  package func end() throws -> ExitStatus { try child.end() }
}

extension SpawnRequest {
  /// Sets variables, each as `NAME=value`.
  package mutating func setEnvironment(_ variables: [String]) {
    let names = variables.map { $0.utf8.prefix { $0 != UInt8(ascii: "=") } + [UInt8(ascii: "=")] }
    environment.removeAll { entry in names.contains { entry.starts(with: $0) } }
    environment += variables.map { Array($0.utf8) }
  }
}
