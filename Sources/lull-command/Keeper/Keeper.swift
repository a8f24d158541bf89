import LullChannel
import LullSystem
import LullWire

/// The keeper of a detached program: the parent of its command, the owner of its input, its output and its
/// log, and the place where others join it. One epoll set, in which it sleeps as long as nothing happens.
final class Keeper {
  enum Source {
    case command, output, input, listener
    case client(KeeperClient)
    case stream(KeeperClient)
  }

  /// The time that slow clients have for the last output, in nanoseconds.
  private static let patience: Int64 = 1_000_000_000

  let reactor: Reactor<Source>
  let log: ProgramLog
  let listener: KeeperListener?
  var streams: KeeperStreams
  var clients: [KeeperClient] = []
  /// The input that the program has not taken yet.
  var untaken: ArraySlice<UInt8> = []
  var inputRegistration: Slot?
  var outputRegistration: Slot?
  /// False once the program has closed its input.
  var takesInput: Bool
  let name: String
  let pid: Int32
  var session: RunSession
  /// The end of the program; nil while it runs.
  private(set) var status: ExitStatus?
  private var buffer = ReceiveBuffer(capacity: 1 << 14)

  init(
    _ session: consuming RunSession, streams: KeeperStreams, log: ProgramLog, listener: KeeperListener?
  ) throws(SystemError) {
    reactor = try Reactor(capacity: 8)
    _ = try reactor.add(session.reactor.raw, .readable, as: .command)
    outputRegistration = try reactor.add(streams.output.raw, .readable, as: .output)
    if let listener { _ = try reactor.add(listener.socket.raw, .readable, as: .listener) }
    takesInput = streams.input != nil
    (name, pid) = (session.name, session.child.pid)
    (self.streams, self.log, self.listener) = (streams, log, listener)
    // Others may have the pipe's end for the program, but not its parent: its end would not be seen.
    if !streams.isTerminal { self.streams.closeProgramEnds() }
    self.session = session
  }

  /// Goes on until the program has ended and its output has been handed on.
  func run() throws -> ExitStatus {
    while true {
      if let status, outputRegistration == nil {
        finish(status)
        return status
      }
      try reactor.wait()
      for place in reactor.events {
        guard let event = reactor[place] else { continue }
        switch event.source {
        case .command:
          guard let ended = try session.takeTurn() else { continue }
          status = ended
          reactor.remove(event.registration)
          // From here on the output has an end.
          streams.closeProgramEnds()
        case .output: takeOutput()
        case .input: break
        case .listener: accept()
        case .client(let client): hear(client, event.readiness)
        case .stream(let client): serve(client, event.readiness)
        }
      }
      giveInput()
      for client in clients {
        if client.hasLeft, !takesInput {
          drop(client, nil)
        } else {
          client.update(reactor, takesInput: takesInput && untaken.isEmpty)
        }
      }
    }
  }

  private func takeOutput() {
    let outcome = (try? streams.read(into: &buffer)) ?? .endOfStream
    switch outcome {
    case .wouldBlock: return
    case .endOfStream:
      if let outputRegistration { reactor.remove(outputRegistration) }
      outputRegistration = nil
      if streams.isTerminal { (takesInput, inputRegistration) = (false, nil) }
    case .bytes:
      log.append(buffer.received)
      for client in clients where !client.send(buffer.received) { drop(client, "it took too little output") }
    }
  }

  /// Tells all the end, each behind the last output; one that takes too little hears only that.
  private func finish(_ status: ExitStatus) {
    listener?.close(reactor)
    let deadline = Clock.boottime() + Self.patience
    while Clock.boottime() < deadline {
      for client in clients where client.finish(status) { drop(client, nil) }
      guard !clients.isEmpty else { return }
      var entries = clients.flatMap(\.stalled)
      _ = try? Socket.pollMany(&entries, timeoutMilliseconds: 50)
    }
    for client in clients {
      drop(client, "\(name) has ended (\(status.words)), but its last output was not taken in time")
    }
  }
}
