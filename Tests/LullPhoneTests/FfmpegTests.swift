import LullSystem
import TestSupport
import Testing

/// Calls with a peer that is no part of Lull: ffmpeg.
@Suite(.bounded) struct FfmpegTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  @Test func `ffmpeg hears the phone`() throws {
    let port = freePort()
    let description = try folder.file(
      "call.sdp",
      """
      v=0
      o=- 0 0 IN IP4 127.0.0.1
      s=call
      c=IN IP4 127.0.0.1
      t=0 0
      m=audio \(port) RTP/AVP 111
      a=rtpmap:111 opus/48000/2

      """)
    let heard = "\(folder.path)/heard.wav"
    let ffmpeg = try PhoneProcess(command: [
      "ffmpeg", "-nostdin", "-loglevel", "error", "-protocol_whitelist", "file,udp,rtp", "-i", description,
      "-t", "2",
      "-ac", "1", "-map_metadata", "-1", "-bitexact", heard,
    ])
    let phone = try PhoneProcess([
      "call", "127.0.0.1:\(port)", "--embedded", "--source", "tone:440", "--sink", "none",
    ])
    #expect(try ffmpeg.status() == .exited(0))
    try phone.send(Signal.terminate)
    #expect(try phone.line(startingWith: "Call ended: ").contains("nothing heard"))
    #expect(try Recording(heard).heard(440, atLeast: 0.15) >= 12)
  }

  @Test func `The phone hears ffmpeg`() throws {
    let heard = "\(folder.path)/heard.wav"
    let phone = try PhoneProcess(["call", "--embedded", "--source", "silence", "--sink", "file:\(heard)"])
    let words = try phone.line(startingWith: "Call begun on port ").split(separator: " ")
    let ffmpeg = try PhoneProcess(command: [
      "ffmpeg", "-nostdin", "-loglevel", "error", "-re", "-f", "lavfi", "-i",
      "sine=frequency=440:sample_rate=48000:duration=3", "-c:a", "libopus", "-ac", "2", "-b:a", "48k",
      "-payload_type", "111", "-f", "rtp", "rtp://127.0.0.1:\(words[4])",
    ])
    #expect(try phone.line(startingWith: "Hearing ").hasPrefix("Hearing 127.0.0.1:"))
    #expect(try ffmpeg.status() == .exited(0))
    try phone.send(Signal.terminate)
    let end = try phone.line(startingWith: "Call ended: ")
    #expect(end.contains(" lost 0,"), "\(end)")
    // ffmpeg's sine has an eighth of full scale.
    #expect(try Recording(heard).heard(440, atLeast: 0.07) >= 15)
  }
}
