import LullBus
import LullWire

/// The devices of BlueZ (org.bluez.Device(5)): an accessory has come or gone when `Connected` changes.
final class Bluetooth: BusUser {
  private let tell: (MessageFromNotify) -> Void

  init(tell: @escaping (MessageFromNotify) -> Void) { self.tell = tell }

  func connected(_ bus: Bus) throws(BusError) {
    let properties = "interface='org.freedesktop.DBus.Properties',member='PropertiesChanged'"
    try bus.match("type='signal',sender='org.bluez',\(properties),arg0='org.bluez.Device1'") {
      [tell] message in
      guard message.readString() != nil else { return }
      for (key, _) in message.readDictionary() ?? [] where key == "Connected" { tell(.accessory) }
    }
  }

  func disconnected(_ why: BusError) {}
}
