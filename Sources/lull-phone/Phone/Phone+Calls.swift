import Lull
import LullSystem
import LullWire

/// The media of the phone's one call.
enum CallState {
  case free
  /// The phone calls, and receives at this port once the call is answered.
  case waiting(MediaSocket)
  /// The phone speaks; the notification offers to hang up.
  case busy(Call, NotificationToken?)
}

extension Phone {
  private static let hangUpAction = "Hang up"

  func handle(_ input: CallConversation.Input, _ application: Application) {
    for output in calls.handle(input) { perform(output, application) }
    guard !calls.isRinging, let ringing else { return }
    self.ringing = nil
    application.cancel(ringing)
  }

  func choose(_ action: String, for token: NotificationToken, _ application: Application) {
    let isDismissed = action == NotificationAction.dismiss.rawValue
    if case .busy(let call, token) = call {
      // A user who puts it away goes on talking, and still needs a way to hang up.
      if action == Phone.hangUpAction { handle(.hungUp, application) } else { offerHangUp(call, application) }
    } else if token == ringing {
      handle(isDismissed ? .dismissed : .answered, application)
    } else if !isDismissed {
      console.event("The call is over")
    }
  }

  /// For example "Missed call at 23:41".
  private var missedCall: LocalNotification {
    let time = LocalTime(unix: Double(Clock.realtime()) / 1e9).description.dropFirst(11).prefix(5)
    return LocalNotification(body: "Missed call at \(time)")
  }

  private func perform(_ output: CallConversation.Output, _ application: Application) {
    switch output {
    case .print(let text): console.event(text)
    case .send(let message): stream?.write("\(message.text)\n")
    case .raise:
      if settings.answers, calls.offersSound { handle(.answered, application) } else { ring(application) }
    case .miss:
      console.event("Missed call")
      _ = raise(missedCall, application, replacing: ringing)
      ringing = nil
    case .missOther: other = raise(missedCall, application, replacing: other)
    case .accept(let offer): accept(offer, application)
    case .connect(let offer): connect(offer, application)
    case .end: end(application)
    }
  }

  /// Makes the call that is wished for: the connection is open.
  func dialWish(_ application: Application) {
    guard let wish else { return }
    self.wish = nil
    do {
      let server = try serverAddress()
      let socket = try MediaSocket(towards: server, port: settings.media.rtpPort)
      call = .waiting(socket)
      var own = CallMessage.Offer(
        address: try socket.address(towards: server), payloadType: settings.media.payloadType)
      if case .somebody(let url) = wish { own.to = url }
      handle(.dialed(own), application)
    } catch {
      console.trouble("Had error: \(error)")
      end(application)
    }
  }

  /// The server's address: the route to it tells this machine's address. IPv4 comes first, since the other
  /// phone is likelier to have it, too.
  private func serverAddress() throws -> SocketAddress {
    let addresses = stream?.addresses ?? []
    let isV4 = { (address: SocketAddress) in address.networkBytes?.address.count == 4 }
    guard let address = addresses.first(where: isV4) ?? addresses.first else {
      throw CallError("\(settings.destination.host): no address")
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

  /// An error ends the call for both sides.
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
      free(application)
      handle(.mediaEnded, application)
      finish(application)
    }
    try call.start()
    offerHangUp(call, application)
  }

  /// Shows that the call goes on. A notification of a call goes with the phone, too.
  private func offerHangUp(_ call: Call, _ application: Application) {
    let content = LocalNotification(body: "In a call", action: Phone.hangUpAction, isCall: true)
    self.call = .busy(call, raise(content, application))
  }

  private func end(_ application: Application) {
    switch free(application) {
    case .free: break
    case .waiting(let socket): socket.close()
    case .busy(let call, _): call.hangUp()
    }
  }

  @discardableResult private func free(_ application: Application) -> CallState {
    let last = call
    call = .free
    if case .busy(_, let token?) = last { application.cancel(token) }
    return last
  }
}
