import Glibc
import LullSystem
import TestSupport
import Testing

@testable import LullAudio

/// The devices of ALSA that lead to PulseAudio.
@Suite(.serialized, .bounded) struct AlsaConfigurationTests {
  @Test(
    arguments: [
      ("type pulse", PulseAddress()),
      ("type pulse server \"unix:/x\" device headset", PulseAddress(server: "unix:/x", device: "headset")),
      ("type pipewire", PulseAddress()),
      ("type plug slave.pcm other", PulseAddress(server: "there")),
      ("type asym playback.pcm other capture.pcm \"hw:0\"", PulseAddress(server: "there")),
      ("type hw card 0", nil),
      ("type plug slave.pcm \"hw:0\"", nil),
      ("type plug slave.pcm tested", nil),
      ("type null", nil),
    ] as [(String, PulseAddress?)])
  func `a device leads to PulseAudio, or not`(definition: String, address: PulseAddress?) throws {
    let text = "pcm.tested { \(definition) }\npcm.other { type pulse server there }\npcm.hw { type hw }\n"
    try configured(text) { #expect(AlsaConfiguration.pulse("tested", capture: false) == address) }
  }

  @Test(
    arguments: [
      ("pcm.lull { type lull }", "libasound_module_pcm_lull.so"),
      ("pcm_type.lull { lib \"/nowhere/lull.so\" }\npcm.lull { type lull }", "/nowhere/lull.so"),
      ("pcm.other { type lull }", nil), ("pcm.lull { type null }", nil),
    ] as [(String, String?)])
  func `the plugin is found as ALSA finds it`(text: String, file: String?) throws {
    try configured(text + "\n") { #expect(AlsaConfiguration.plugin() == file) }
  }

  @Test func `a device that leads to no sound server says so`() throws {
    AlsaDevice.silenceLibrary()
    try configured("pcm.tested { type pulse server \"unix:/nowhere/pulse\" }\n") {
      let gone = SinkError.gone("tested: no sound server answers (Connection refused)")
      #expect(throws: gone) { try AlsaDevice(name: "tested", .play, SinkRequest()) }
    }
  }

  /// Does something where ALSA has a configuration.
  private func configured(_ text: String, _ body: () throws -> Void) throws {
    // ALSA does not read a file of the same name again that is written within the same second.
    var template = Array("/tmp/lull-asoundrc-XXXXXX".utf8CString)
    let raw = unsafe mkstemp(&template)
    try #require(raw >= 0)
    let file = Descriptor(owning: raw)
    try StandardStreams.write(Array(text.utf8), to: file.raw)
    let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
    defer { try? Files.unlink(path) }
    #expect(unsafe setenv("ALSA_CONFIG_PATH", path, 1) == 0)
    try body()
  }
}
