internal import CSystemd

/// The session bus (sd-bus(3)): one name, one object, method calls and signals.
@safe final class Bus {
  /// Answers a method call: the values of the reply, or an error.
  typealias Handler = (BusMessage) throws(Refusal) -> [BusValue]

  /// An error reply.
  struct Refusal: Error {
    var name: String
    var message: String
  }

  private let raw: OpaquePointer
  private let path: String
  private var handler: Handler?

  /// Connects and takes the name. ENOMEDIUM and ENOENT mean that there is no session bus.
  init(name: String, path: String) throws(BusError) {
    var bus: OpaquePointer?
    let result = unsafe sd_bus_open_user(&bus)
    guard result >= 0, let bus = unsafe bus else { throw BusError("no session bus", result) }
    (unsafe raw, self.path) = (unsafe bus, path)
    // The end of the bus must not end the player.
    _ = unsafe sd_bus_set_exit_on_disconnect(bus, 0)
    let named = unsafe sd_bus_request_name(bus, name, 0)
    guard named >= 0 else {
      unsafe sd_bus_flush_close_unref(bus)
      throw BusError("the name \(name)", named)
    }
  }

  deinit {
    unsafe sd_bus_flush_close_unref(raw)
  }

  /// Readable when there is something to process.
  var descriptor: Int32 { unsafe sd_bus_get_fd(raw) }

  /// Answers the method calls to the object with this handler.
  func serve(_ handler: @escaping Handler) throws(BusError) {
    self.handler = handler
    let own = unsafe Unmanaged.passUnretained(self).toOpaque()
    let result = unsafe sd_bus_add_object(
      raw, nil, path,
      { message, bus, _ in
        guard let message = unsafe message, let bus = unsafe bus else { return 0 }
        return unsafe Unmanaged<Bus>.fromOpaque(bus).takeUnretainedValue().answer(message)
      }, own)
    guard result >= 0 else { throw BusError("the object \(path)", result) }
  }

  /// Handles everything that has arrived. False: the connection is gone.
  func process() -> Bool {
    while true {
      let result = unsafe sd_bus_process(raw, nil)
      if result < 0 { return false }
      if result == 0 { return unsafe sd_bus_flush(raw) >= 0 }
    }
  }

  /// Sends a signal of the object with these values.
  func emit(_ interface: String, member: String, values: [BusValue]) {
    var message: OpaquePointer?
    guard unsafe sd_bus_message_new_signal(raw, &message, path, interface, member) >= 0,
      let message = unsafe message
    else { return }
    defer { unsafe sd_bus_message_unref(message) }
    for value in values { unsafe BusMessage(message).append(value) }
    // A lost connection shows at the next `process`.
    _ = unsafe sd_bus_send(raw, message, nil)
  }

  private func answer(_ call: OpaquePointer) -> Int32 {
    let message = unsafe BusMessage(call)
    guard message.isMethodCall, let handler else { return 0 }
    do throws(Refusal) {
      return unsafe reply(to: call, try handler(message))
    } catch {
      var bad = unsafe sd_bus_error()
      unsafe sd_bus_error_set(&bad, error.name, error.message)
      defer { unsafe sd_bus_error_free(&bad) }
      return unsafe sd_bus_reply_method_error(call, &bad)
    }
  }

  private func reply(to call: OpaquePointer, _ values: [BusValue]) -> Int32 {
    var message: OpaquePointer?
    let result = unsafe sd_bus_message_new_method_return(call, &message)
    guard result >= 0, let message = unsafe message else { return result }
    defer { unsafe sd_bus_message_unref(message) }
    for value in values { unsafe BusMessage(message).append(value) }
    return unsafe sd_bus_send(nil, message, nil)
  }
}
