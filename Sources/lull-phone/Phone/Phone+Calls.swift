import Lull
import LullSystem

/// The media of the phone's one call.
enum CallState {
  case free
  /// The phone calls, and receives at this port once the call is answered.
  case waiting(MediaSocket)
  /// The phone speaks; the notification offers to hang up.
  case busy(Call, NotificationToken?)

  func offersHangUp(_ token: NotificationToken) -> Bool {
    if case .busy(_, token) = self { true } else { false }
  }
}

// Calls with sound.
extension Phone {
  func handle(_ input: CallConversation.Input, _ application: Application) {
    for output in calls.handle(input) { perform(output, application) }
    if !calls.isRinging { ringer.stop() }
  }

  private func perform(_ output: CallConversation.Output, _ application: Application) {
    switch output {
    case .print(let text): console.event(text)
    case .send(let message): stream?.write("\(message.text)\n")
    case .raise: if settings.answers { handle(.answered, application) } else { ring(application) }
    case .accept(let offer): accept(offer, application)
    case .connect(let offer): connect(offer, application)
    case .end: end()
    }
  }

  /// Calls, once the first connection is open.
  func dialFirst(_ application: Application) {
    guard settings.dials, !hasDialed else { return }
    hasDialed = true
    do {
      let server = try serverAddress()
      let socket = try MediaSocket(towards: server, port: settings.media.rtpPort)
      call = .waiting(socket)
      let own = CallMessage.Offer(
        address: try socket.address(towards: server), payloadType: settings.media.payloadType)
      handle(.dialed(own), application)
    } catch {
      console.trouble("Had error: \(error)")
      end()
    }
  }

  /// The server's address: the route to it tells this machine's address. IPv4 comes first, since the other
  /// phone is likelier to have it, too.
  private func serverAddress() throws -> SocketAddress {
    let (host, port) = (settings.destination.host, settings.destination.port)
    let addresses = try Socket.resolve(host: host, port: port)
    let isV4 = { (address: SocketAddress) in address.networkBytes?.address.count == 4 }
    guard let address = addresses.first(where: isV4) ?? addresses.first else {
      throw CallError("\(host): no address")
    }
    return address
  }

  private func accept(_ offer: CallMessage.Offer, _ application: Application) {
    attempt(application) {
      let socket = try MediaSocket(towards: offer.address, port: settings.media.rtpPort)
      let own = try socket.address(towards: offer.address)
      try begin(socket, offer: offer, in: application)
      stream?.write("\(CallMessage.answer(own).text)\n")
    }
  }

  private func connect(_ offer: CallMessage.Offer, _ application: Application) {
    guard case .waiting(let socket) = call else { return }
    attempt(application) { try begin(socket, offer: offer, in: application) }
  }

  /// Does the work; an error ends the call for both sides.
  private func attempt(_ application: Application, _ body: () throws -> Void) {
    do {
      try body()
    } catch {
      console.trouble("Had error: \(error)")
      handle(.hungUp, application)
    }
  }

  private func begin(_ socket: MediaSocket, offer: CallMessage.Offer, in application: Application) throws {
    let media = try settings.media.settings(payloadType: offer.payloadType)
    let call = try Call(application, media, socket: socket, peer: offer.address, console: console) {
      [weak self] _ in
      guard let self else { return }
      self.call = .free
      handle(.mediaEnded, application)
      finish(application)
    }
    try call.start()
    let token = raise(LocalNotification(body: "In a call", action: "Hang up"), application)
    self.call = .busy(call, token)
  }

  private func end() {
    let last = call
    call = .free
    switch last {
    case .free: break
    case .waiting(let socket): socket.close()
    case .busy(let call, _): call.hangUp()
    }
  }
}
