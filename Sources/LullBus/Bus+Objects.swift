internal import CSystemd

extension Bus {
  /// Waits for the bus.
  package func requestName(_ name: String) throws(BusError) {
    let result = unsafe sd_bus_request_name(raw, name, 0)
    guard result >= 0 else { throw BusError("the name \(name)", result) }
  }

  package func serve(_ path: String, _ handler: @escaping Handler) throws(BusError) {
    let object = BusObject(handler)
    let result = unsafe sd_bus_add_object(
      raw, nil, path,
      { message, object, _ in
        guard let message = unsafe message, let object = unsafe object else { return 0 }
        return unsafe Unmanaged<BusObject>.fromOpaque(object).takeUnretainedValue().answer(message)
      }, keep(object))
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

  func keep(_ callback: AnyObject) -> UnsafeMutableRawPointer {
    callbacks[ObjectIdentifier(callback)] = callback
    return unsafe Unmanaged.passUnretained(callback).toOpaque()
  }
}

@safe private final class BusObject {
  private let handler: Bus.Handler

  init(_ handler: @escaping Bus.Handler) { self.handler = handler }

  func answer(_ call: OpaquePointer) -> Int32 {
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

  private func reply(to call: OpaquePointer, _ values: [BusValue]) -> Int32 {
    var message: OpaquePointer?
    let result = unsafe sd_bus_message_new_method_return(call, &message)
    guard result >= 0, let message = unsafe message else { return result }
    defer { unsafe sd_bus_message_unref(message) }
    for value in values { unsafe BusMessage(message).append(value) }
    return unsafe sd_bus_send(nil, message, nil)
  }
}
