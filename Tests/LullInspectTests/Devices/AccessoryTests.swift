import LullModel
import LullSystem
import TestSupport
import Testing

@testable import LullInspect

@Suite(.bounded) struct AccessoryTests {
  private static let device = "/devices/pci0000:00/usb1/1-1"

  private func event(_ what: String, at path: String, _ fields: String...) -> Uevent {
    let words = what.split(separator: " ")
    let lines = ["ACTION=\(words[0])", "SUBSYSTEM=\(words[1])", "DEVPATH=\(path)"] + fields
    return Uevent(lines.map { Array($0.utf8)[...] })
  }

  @Test func `a serial line has the vendor of its USB device, also when that is gone from sysfs`() {
    var usb = UsbDevices()
    let ids = ["DEVTYPE=usb_device", "PRODUCT=403/6001/600"]
    let found = Accessory(.usb, vendor: 0x0403, product: 0x6001)
    let line = Accessory(.tty, vendor: 0x0403, product: 0x6001)
    #expect(usb.take(event("add usb", at: Self.device, ids[0], ids[1])) == found)
    let tty = Self.device + "/1-1:1.0/ttyUSB0/tty/ttyUSB0"
    #expect(usb.take(event("add tty", at: tty)) == line)
    #expect(usb.take(event("remove tty", at: tty)) == line)
    #expect(usb.take(event("remove usb", at: Self.device, ids[0], ids[1])) == found)
    #expect(usb.take(event("add tty", at: tty)) == Accessory(.tty))
  }

  @Test func `a device of a hub is not the hub`() {
    var usb = UsbDevices()
    _ = usb.take(event("add usb", at: Self.device, "DEVTYPE=usb_device", "PRODUCT=1/2/3"))
    _ = usb.take(event("add usb", at: Self.device + "/1-1.2", "DEVTYPE=usb_device", "PRODUCT=a/b/0"))
    let card = usb.take(event("add sound", at: Self.device + "/1-1.2/1-1.2:1.0/sound/card1"))
    #expect(card == Accessory(.sound, vendor: 10, product: 11))
  }

  @Test func `a device of input names its bus first`() {
    var usb = UsbDevices()
    let keys = usb.take(event("add input", at: "/devices/virtual/input/input5", "PRODUCT=5/46d/b342/1"))
    #expect(keys == Accessory(.input, vendor: 0x046d, product: 0xb342))
  }

  @Test(arguments: [
    ("change", "tty", "/devices/ttyS0"), ("bind", "usb", "/devices/1-1"), ("add", "block", "/devices/sda"),
    ("add", "tty", ""),
  ])
  func `what is neither a coming nor a going of an accessory is none`(case: (String, String, String)) {
    var usb = UsbDevices()
    #expect(usb.take(event("\(`case`.0) \(`case`.1)", at: `case`.2)) == nil)
  }

  @Test func `the devices that are there already are read`() throws {
    let root = try TemporaryDirectory()
    let folder = root.path + "/sys/bus/usb/devices/1-1"
    try Files.makeDirectories(folder)
    try Files.replace(folder + "/uevent", with: Array("DEVTYPE=usb_device\nPRODUCT=403/6001/600\n".utf8))
    var usb = UsbDevices(root: root.path)
    let gone = usb.take(event("remove tty", at: Self.device + "/1-1:1.0/ttyUSB0/tty/ttyUSB0"))
    #expect(gone == Accessory(.tty, vendor: 0x0403, product: 0x6001))
  }
}
