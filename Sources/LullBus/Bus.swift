internal import CSystemd
package import LullSystem

/// A connection to a message bus of D-Bus (sd-bus(3)), for one thread. Only the calls that say so wait for
/// the bus.
@safe package final class Bus {
  package enum Kind: Sendable {
    /// The bus of the user's session: DBUS_SESSION_BUS_ADDRESS, else $XDG_RUNTIME_DIR/bus.
    case session
    /// The bus of the machine: DBUS_SYSTEM_BUS_ADDRESS, else the usual socket.
    case system
    case address(String)
  }

  package typealias Handler = (BusMessage) throws(Refusal) -> [BusValue]

  package struct Refusal: Error {
    /// Such as org.freedesktop.DBus.Error.Failed.
    package var name: String
    package var message: String

    package init(name: String, message: String) { (self.name, self.message) = (name, message) }
  }

  private let raw: OpaquePointer
  /// sd-bus calls back a pending call, a match or an object, which must live as long as sd-bus knows it.
  private var callbacks: [ObjectIdentifier: Callback] = [:]

  /// Begins to connect. ENOMEDIUM: no address is known; ENOENT and ECONNREFUSED: there is no bus. When the
  /// bus does not let this process in, a later `process` tells so.
  package init(_ kind: Kind) throws(BusError) {
    var bus: OpaquePointer?
    let result: Int32
    switch kind {
    case .session:
      if let address = Identity.environment("DBUS_SESSION_BUS_ADDRESS") {
        result = unsafe Self.open(Self.withoutGuid(address), &bus)
      } else {
        result = unsafe sd_bus_open_user(&bus)
      }
    case .system: result = unsafe sd_bus_open_system(&bus)
    case .address(let address): result = unsafe Self.open(address, &bus)
    }
    guard result >= 0, let bus = unsafe bus else {
      unsafe sd_bus_unref(bus)
      throw BusError("no \(kind) bus", result)
    }
    unsafe raw = unsafe bus
    // The end of the bus must not end the program.
    _ = unsafe sd_bus_set_exit_on_disconnect(bus, 0)
  }

  /// A bus that was started again has another guid.
  private static func withoutGuid(_ address: String) -> String {
    address.split(separator: ";").map { entry in
      let parts = entry.split(separator: ":", maxSplits: 1)
      guard parts.count == 2 else { return String(entry) }
      let keys = parts[1].split(separator: ",").filter { !$0.hasPrefix("guid=") }
      return "\(parts[0]):\(keys.joined(separator: ","))"
    }.joined(separator: ";")
  }

  private static func open(_ address: String, _ bus: inout OpaquePointer?) -> Int32 {
    let result = unsafe sd_bus_new(&bus)
    guard result >= 0 else { return result }
    let isSet = unsafe sd_bus_set_address(bus, address)
    guard isSet >= 0 else { return isSet }
    _ = unsafe sd_bus_set_bus_client(bus, 1)
    return unsafe sd_bus_start(bus)
  }

  deinit { unsafe sd_bus_close_unref(raw) }

  // MARK: In a loop

  package var descriptor: Int32 { unsafe sd_bus_get_fd(raw) }

  package var interest: Interest {
    Interest(rawValue: UInt32(max(0, unsafe sd_bus_get_events(raw)))).intersection([.readable, .writable])
  }

  /// The moment at which `process` is due without an event, in nanoseconds of CLOCK_BOOTTIME; nil: never.
  package var deadline: Int64? {
    var microseconds: UInt64 = .max
    guard unsafe sd_bus_get_timeout(raw, &microseconds) >= 0, microseconds < UInt64(Int64.max / 1000) else {
      return nil
    }
    return Clock.boottime() + max(0, Int64(microseconds) * 1000 - Clock.monotonic())
  }

  /// Handles everything that has arrived, and sends what there is room for. False: the connection is gone.
  package func process() -> Bool {
    while true {
      let result = unsafe sd_bus_process(raw, nil)
      if result < 0 { return false }
      if result == 0 { return unsafe sd_bus_is_open(raw) > 0 }
    }
  }

  /// Waits until everything is sent. False: the connection is gone.
  @discardableResult
  package func flush() -> Bool { unsafe sd_bus_flush(raw) >= 0 }

  /// No other bus in the world has this identifier. Nil until the bus has let this process in.
  package var identifier: String? {
    // The call would wait.
    guard unsafe sd_bus_is_ready(raw) > 0 else { return nil }
    var id = sd_id128_t()
    guard unsafe sd_bus_get_bus_id(raw, &id) >= 0 else { return nil }
    var text = [CChar](repeating: 0, count: 33)
    return unsafe text.withUnsafeMutableBufferPointer { buffer in
      unsafe buffer.baseAddress.flatMap { unsafe sd_id128_to_string(id, $0) }.map {
        unsafe String(cString: $0)
      }
    }
  }
}

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
  /// An error of the callee or of the bus. It is also the answer to a call that was not answered in time, or
  /// was under way when the connection ended.
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
    let pending = unsafe Callback { [unowned self] pending, message in
      drop(pending)
      then(unsafe BusReply(message))
      return 0
    }
    let result = unsafe sd_bus_call_async(
      raw, nil, message, calledBack, keep(pending), UInt64(timeout) * 1_000_000)
    guard result < 0 else { return }
    drop(pending)
    throw BusError(call.member, result)
  }

  /// Has the bus tell of every message that a rule of D-Bus matches (D-Bus Specification, "Match Rules").
  /// A bus that refuses the rule ends the connection.
  package func match(_ rule: String, _ handler: @escaping (BusMessage) -> Void) throws(BusError) {
    let match = unsafe Callback { _, message in
      handler(unsafe BusMessage(message))
      return 0
    }
    let result = unsafe sd_bus_add_match_async(raw, nil, rule, calledBack, nil, keep(match))
    guard result < 0 else { return }
    drop(match)
    throw BusError(rule, result)
  }

  /// Waits for the bus.
  package func requestName(_ name: String) throws(BusError) {
    let result = unsafe sd_bus_request_name(raw, name, 0)
    guard result >= 0 else { throw BusError("the name \(name)", result) }
  }

  package func serve(_ path: String, _ handler: @escaping Handler) throws(BusError) {
    let object = unsafe Callback { _, call in unsafe Self.answer(call, by: handler) }
    let result = unsafe sd_bus_add_object(raw, nil, path, calledBack, keep(object))
    guard result >= 0 else { throw BusError("the object \(path)", result) }
  }

  /// A lost connection shows at the next `process`.
  package func emit(_ interface: String, member: String, at path: String, values: [BusValue]) {
    var message: OpaquePointer?
    guard unsafe sd_bus_message_new_signal(raw, &message, path, interface, member) >= 0,
      let message = unsafe message
    else { return }
    defer { unsafe sd_bus_message_unref(message) }
    for value in values { unsafe BusMessage(message).append(value) }
    _ = unsafe sd_bus_send(raw, message, nil)
  }

  private func keep(_ callback: Callback) -> UnsafeMutableRawPointer {
    callbacks[ObjectIdentifier(callback)] = callback
    return unsafe Unmanaged.passUnretained(callback).toOpaque()
  }

  private func drop(_ callback: Callback) { callbacks[ObjectIdentifier(callback)] = nil }

  private static func answer(_ call: OpaquePointer, by handler: Handler) -> Int32 {
    let message = unsafe BusMessage(call)
    guard message.isMethodCall else { return 0 }
    do throws(Bus.Refusal) {
      return unsafe reply(to: call, try handler(message))
    } catch {
      var bad = unsafe sd_bus_error()
      unsafe sd_bus_error_set(&bad, error.name, error.message)
      defer { unsafe sd_bus_error_free(&bad) }
      return unsafe sd_bus_reply_method_error(call, &bad)
    }
  }

  private static func reply(to call: OpaquePointer, _ values: [BusValue]) -> Int32 {
    var message: OpaquePointer?
    let result = unsafe sd_bus_message_new_method_return(call, &message)
    guard result >= 0, let message = unsafe message else { return result }
    defer { unsafe sd_bus_message_unref(message) }
    for value in values { unsafe BusMessage(message).append(value) }
    return unsafe sd_bus_send(nil, message, nil)
  }
}

extension BusReply {
  fileprivate init(_ message: OpaquePointer) {
    guard unsafe sd_bus_message_is_method_error(message, nil) > 0 else {
      self = .values(unsafe BusMessage(message))
      return
    }
    let error = unsafe sd_bus_message_get_error(message)
    let name = unsafe error?.pointee.name.map { unsafe String(cString: $0) } ?? ""
    let text = unsafe error?.pointee.message.map { unsafe String(cString: $0) } ?? ""
    self = .refused(Bus.Refusal(name: name, message: text))
  }
}

@safe private final class Callback {
  let body: (Callback, OpaquePointer) -> Int32

  init(_ body: @escaping (Callback, OpaquePointer) -> Int32) { unsafe self.body = body }
}

private func calledBack(
  _ message: OpaquePointer?, _ callback: UnsafeMutableRawPointer?, _: UnsafeMutablePointer<sd_bus_error>?
) -> Int32 {
  guard let message = unsafe message, let callback = unsafe callback else { return 0 }
  let kept = unsafe Unmanaged<Callback>.fromOpaque(callback).takeUnretainedValue()
  return unsafe kept.body(kept, message)
}

/// A refusal of the bus, in one text line.
public struct BusError: Error, Equatable, CustomStringConvertible {
  /// The text line.
  public let description: String
  /// The error of the kernel or of sd-bus, where one is the cause.
  package let cause: SystemError?

  package init(_ description: String) {
    (self.description, cause) = (description, nil)
  }

  /// `result` is a negative error number of sd-bus.
  package init(_ call: String, _ result: Int32) {
    let cause = SystemError(code: -result, call: call)
    (description, self.cause) = ("\(cause)", cause)
  }

  package var isWithoutAddress: Bool { cause?.isNoMedium == true }
}
