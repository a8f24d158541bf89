import LullModel
import TestSupport
import Testing

@Suite(.bounded) struct AccessoryWordTests {
  @Test(arguments: ["tty", "usb:046d", "input:046d:c52b", "sound:0000:ffff"])
  func `an accessory is written as it is read`(text: String) throws {
    #expect(try #require(Accessory(text)).description == text)
  }

  @Test(arguments: [
    "", "disk", "tty:", "tty:46d", "tty:046dx", "usb:+46d", "usb:046g", "usb::c52b", "usb:046d:",
    "usb:046d:c5",
    "usb:046d:c52b:1", "TTY", "usb:\u{664}\u{664}",
  ])
  func `anything else is none`(text: String) { #expect(Accessory(text) == nil) }

  @Test func `a choice without a number takes any`() {
    let device = Accessory(.usb, vendor: 0x046d, product: 0xc52b)
    #expect(Accessory(.usb).includes(device) && Accessory(.usb, vendor: 0x046d).includes(device))
    #expect(!Accessory(.tty).includes(device) && !Accessory(.usb, vendor: 1).includes(device))
    #expect(!Accessory(.usb, vendor: 0x046d, product: 1).includes(device))
    #expect(!Accessory(.usb, vendor: 1).includes(Accessory(.usb)))
  }
}
