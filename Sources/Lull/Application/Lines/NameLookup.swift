internal import LullSystem

/// A host's name on its way to addresses, in a thread of its own: a silent name server holds up nobody. It
/// stays in `Application.lookups` until that thread has ended.
final class NameLookup {
  typealias Answer = Result<[SocketAddress], LullError>

  /// Seconds.
  private static let patience = 30.0
  /// So many names of one application are looked up at once.
  private static let limit = 16

  private var onAnswer: ((Answer) -> Void)?
  private var timeout: TimerToken?

  private init(_ onAnswer: @escaping (Answer) -> Void) { self.onAnswer = onAnswer }

  /// `onAnswer` is called once, in a later turn of the loop.
  ///
  /// - Throws: `limitReached`, or `system` without a thread to spare.
  static func begin(
    _ host: String, port: UInt16, in application: Application, onAnswer: @escaping (Answer) -> Void
  ) throws(LullError) -> NameLookup {
    guard application.lookups.count < limit else {
      throw .limitReached("\(host): \(limit) names are being looked up already: is the name server silent?")
    }
    let lookup = NameLookup(onAnswer)
    let (number, mailbox) = (application.newToken(), application.mailbox)
    do throws(SystemError) {
      try SystemThread.start {
        let answer = Self.lookUp(host, port: port)
        mailbox.post { $0.lookups.removeValue(forKey: number)?.end(with: answer) }
      }
    } catch {
      throw LullError(error)
    }
    application.lookups[number] = lookup
    lookup.timeout = application.schedule(after: patience) { [weak lookup] in
      lookup?.end(with: .failure(.unknownHost("\(host): no name server answered within 30 s")))
    }
    return lookup
  }

  func cancel() {
    timeout?.cancel()
    onAnswer = nil
  }

  private func end(with answer: Answer) {
    let onAnswer = onAnswer
    cancel()
    onAnswer?(answer)
  }

  private static func lookUp(_ host: String, port: UInt16) -> Answer {
    do throws(ResolveError) {
      return .success(try Socket.resolve(host: host, port: port))
    } catch {
      return .failure(.unknownHost(error.description))
    }
  }
}
