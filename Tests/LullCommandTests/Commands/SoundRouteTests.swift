import TestSupport
import Testing

@testable import lull_command

@Suite(.bounded) struct SoundRouteTests {
  @Test(arguments: [
    ("pulse:haedset", "did you mean \"pulse:Headset\"? "), ("headset", "did you mean \"pulse:Headset\"? "),
    ("hw:usb", "did you mean \"hw:CARD=USB\"? "), ("nosuch", ""), (":", ""),
  ])
  func `a device that there is not leads to the nearest one, and to those that there are`(
    typed: String, meant: String
  ) {
    let names = ["default", "hw:CARD=USB", "pulse:Headset"]
    #expect(
      SoundRouteCommand.others(than: typed, among: names)
        == "\(meant)there are default, hw:CARD=USB, pulse:Headset")
    #expect(SoundRouteCommand.others(than: typed, among: []) == "there is none")
  }
}
