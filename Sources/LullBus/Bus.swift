internal import CSystemd
package import LullSystem

/// A connection to a message bus of D-Bus (sd-bus(3)), for one thread. Nothing in it waits for the bus, but
/// for what says so.
@safe package final class Bus {
  /// Which bus it is: that of the user's session (DBUS_SESSION_BUS_ADDRESS, else $XDG_RUNTIME_DIR/bus), or
  /// that of the machine (DBUS_SYSTEM_BUS_ADDRESS, else the usual socket).
  package enum Kind: Sendable {
    case session, system
    case address(String)
  }

  package typealias Handler = (BusMessage) throws(Refusal) -> [BusValue]

  /// An error reply.
  package struct Refusal: Error {
    /// The name of the error, such as org.freedesktop.DBus.Error.Failed.
    package var name: String
    package var message: String

    package init(name: String, message: String) { (self.name, self.message) = (name, message) }
  }

  let raw: OpaquePointer
  /// What sd-bus calls back: a pending call, a match, an object. It lives as long as sd-bus knows it.
  var callbacks: [ObjectIdentifier: AnyObject] = [:]

  /// Begins to connect. ENOMEDIUM: no address is known; ENOENT and ECONNREFUSED: there is no bus. That a bus
  /// does not let this process in shows at a later `process`.
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

  /// The address of whatever bus is there: one that was started again has another guid.
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

  deinit {
    unsafe sd_bus_close_unref(raw)
  }

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

  /// The identifier of the bus and of nothing else in the world; nil while this process is not let in yet.
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
