internal import CSystemd

/// A message that is read or written, valid as long as its handler runs. A failed append shows when the
/// message is sent; a read of another type than the message has is nil.
@safe package struct BusMessage {
  let raw: OpaquePointer

  init(_ raw: OpaquePointer) {
    unsafe self.raw = unsafe raw
  }

  package var interface: String? {
    unsafe sd_bus_message_get_interface(raw).map { unsafe String(cString: $0) }
  }
  package var member: String? { unsafe sd_bus_message_get_member(raw).map { unsafe String(cString: $0) } }
  package var path: String? { unsafe sd_bus_message_get_path(raw).map { unsafe String(cString: $0) } }
  /// The unique name of the connection that sent it.
  package var sender: String? { unsafe sd_bus_message_get_sender(raw).map { unsafe String(cString: $0) } }
  package var isMethodCall: Bool { unsafe sd_bus_message_is_method_call(raw, nil, nil) > 0 }
}
