internal import CSystemd

package struct BusCall {
  var destination: String
  var path: String
  var interface: String
  var member: String
  var values: [BusValue]

  package init(
    to destination: String, path: String, interface: String, member: String, values: [BusValue] = []
  ) {
    (self.destination, self.path, self.interface) = (destination, path, interface)
    (self.member, self.values) = (member, values)
  }
}

package enum BusReply {
  case values(BusMessage)
  /// An error of the callee or of the bus, by its name. It is also the answer to a call that nobody has
  /// answered in time, or that was under way when the connection ended.
  case refused(Bus.Refusal)
}

extension Bus {
  /// Calls a method and goes on; `then` gets the answer in a later `process`. After `timeout` seconds the
  /// answer is an error.
  package func call(
    _ call: BusCall, timeout: Int, then: @escaping (BusReply) -> Void = { _ in }
  ) throws(BusError) {
    var message: OpaquePointer?
    let made = unsafe sd_bus_message_new_method_call(
      raw, &message, call.destination, call.path, call.interface, call.member)
    guard made >= 0, let message = unsafe message else { throw BusError(call.member, made) }
    defer { unsafe sd_bus_message_unref(message) }
    for value in call.values { unsafe BusMessage(message).append(value) }
    let pending = PendingCall(of: self, then)
    let result = unsafe sd_bus_call_async(
      raw, nil, message,
      { message, pending, _ in
        guard let message = unsafe message, let pending = unsafe pending else { return 0 }
        unsafe Unmanaged<PendingCall>.fromOpaque(pending).takeUnretainedValue().answered(message)
        return 0
      }, keep(pending), UInt64(timeout) * 1_000_000)
    guard result < 0 else { return }
    drop(pending)
    throw BusError(call.member, result)
  }

  /// Has the bus tell of every message that a rule of D-Bus matches (D-Bus Specification, "Match Rules").
  /// A bus that refuses the rule ends the connection.
  package func match(_ rule: String, _ handler: @escaping (BusMessage) -> Void) throws(BusError) {
    let match = Match(handler)
    let result = unsafe sd_bus_add_match_async(
      raw, nil, rule,
      { message, match, _ in
        guard let message = unsafe message, let match = unsafe match else { return 0 }
        unsafe Unmanaged<Match>.fromOpaque(match).takeUnretainedValue().handler(BusMessage(message))
        return 0
      }, nil, keep(match))
    guard result < 0 else { return }
    drop(match)
    throw BusError(rule, result)
  }

  fileprivate func drop(_ callback: AnyObject) {
    callbacks[ObjectIdentifier(callback)] = nil
  }
}

@safe private final class PendingCall {
  private unowned let bus: Bus
  private let then: (BusReply) -> Void

  init(of bus: Bus, _ then: @escaping (BusReply) -> Void) { (self.bus, self.then) = (bus, then) }

  func answered(_ message: OpaquePointer) {
    bus.drop(self)
    guard unsafe sd_bus_message_is_method_error(message, nil) > 0 else {
      return then(.values(unsafe BusMessage(message)))
    }
    let error = unsafe sd_bus_message_get_error(message)
    let name = unsafe error?.pointee.name.map { unsafe String(cString: $0) } ?? ""
    let text = unsafe error?.pointee.message.map { unsafe String(cString: $0) } ?? ""
    then(.refused(Bus.Refusal(name: name, message: text)))
  }
}

/// A match whose messages are wanted as long as the connection lives.
private final class Match {
  let handler: (BusMessage) -> Void

  init(_ handler: @escaping (BusMessage) -> Void) { self.handler = handler }
}
