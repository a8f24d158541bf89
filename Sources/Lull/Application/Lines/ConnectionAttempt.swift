internal import LullSystem

/// The attempt to connect to one of a host's addresses, in their order; each address has 30 s.
final class ConnectionAttempt {
  private static let limit = 30.0

  private let host: String
  private var rest: ArraySlice<SocketAddress>
  private let onReady: EventLoop.Handler
  private let onFailure: (LullError) -> Void
  private weak var application: Application?
  private var current: (socket: StreamSocket, timeout: TimerToken)?

  /// `onReady` is called for the events of the socket that is being connected; see
  /// `takeConnected`. `onFailure` is called in a later turn of the loop, when no address is left.
  init(
    to host: String, at addresses: [SocketAddress], in application: Application,
    onReady: @escaping EventLoop.Handler, onFailure: @escaping (LullError) -> Void
  ) {
    (self.host, rest, self.application) = (host, addresses[...], application)
    (self.onReady, self.onFailure) = (onReady, onFailure)
    tryNext(after: nil)
  }

  /// A frozen program does not notice that its connection is made.
  func updateInterest(isSuspended: Bool) {
    current?.socket.watch(for: isSuspended ? .oneShot : .writable)
  }

  /// The connected socket, whose owner the caller becomes; nil when the next address has its turn.
  func takeConnected() -> StreamSocket? {
    guard let current else { return nil }
    if let error = current.socket.error {
      failed(error)
      return nil
    }
    current.timeout.cancel()
    self.current = nil
    return current.socket
  }

  func cancel() {
    rest = []
    guard let current else { return }
    abandon()
    current.socket.close()
  }

  /// The application is gone, and its loop with it.
  func abandon() {
    current?.timeout.cancel()
    current = nil
  }

  private func tryNext(after failure: LullError?) {
    guard let application else { return }
    var failure = failure
    while let address = rest.popFirst() {
      do throws(SystemError) {
        let socket = try StreamSocket(to: address, in: application.loop, onReady: onReady)
        let timeout = application.schedule(after: ConnectionAttempt.limit) { [weak self] in
          self?.failed(.timedOut("connect"))
        }
        current = (socket, timeout)
        return
      } catch {
        failure = ConnectionAttempt.failure(error, at: address)
      }
    }
    let error = failure ?? .unknownHost("\(host): no address")
    application.deferred.append { [weak self] in self?.onFailure(error) }
    application.settle()
  }

  private func failed(_ error: SystemError) {
    guard let current else { return }
    abandon()
    current.socket.close()
    tryNext(after: ConnectionAttempt.failure(error, at: current.socket.address))
  }

  private static func failure(_ error: SystemError, at address: SocketAddress) -> LullError {
    .system(code: error.code, "connect to \(address): \(error.message)")
  }
}
