import LullBus
import LullSystem

/// `--check`: asks which notification server there is.
package enum ServerCheck {
  private static let patience = 3

  package static func run() -> (text: String, works: Bool) {
    do throws(BusError) {
      let bus = try Bus(.session)
      var answer: (text: String, works: Bool)?
      let call = BusCall(
        to: NotificationServer.name, path: NotificationServer.path, interface: NotificationServer.name,
        member: "GetServerInformation")
      try bus.call(call, timeout: patience) { answer = read($0) }
      let end = Clock.boottime() + Int64(patience) * 1_000_000_000
      while answer == nil, Clock.boottime() < end {
        guard bus.process() else { throw BusError("the session bus has ended the connection") }
        guard answer == nil else { break }
        _ = try? Socket.poll(bus.descriptor, bus.interest, timeoutMilliseconds: 100)
      }
      return answer ?? ("the session bus does not answer", false)
    } catch {
      return (NotificationServer.trouble(error), false)
    }
  }

  private static func read(_ reply: BusReply) -> (text: String, works: Bool) {
    switch reply {
    case .values(let message):
      let (name, _, version) = (message.readString(), message.readString(), message.readString())
      return (Wording.plain("shown by \(name ?? "a server") \(version ?? "")"), true)
    case .refused(let refusal): return (NotificationServer.trouble(refusal), false)
    }
  }
}
