import TestSupport
import Testing

@testable import LullPlayer

/// The texts that stations and servers write.
@Suite(.bounded) struct StreamTextTests {
  @Test func `titles are found wherever the pieces are cut`() {
    let text = Array("StreamTitle='A - B';StreamUrl='';".utf8)
    let block = [UInt8(3)] + text + [UInt8](repeating: 0, count: 48 - text.count)
    let stream = [1, 2, 3, 4] + block + [5, 6, 7, 8, 0, 9, 10]
    for cut in 1..<stream.count {
      var reader = IcyReader(interval: 4)
      let sound = reader.sound(in: stream[..<cut]) + reader.sound(in: stream[cut...])
      #expect(sound == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
      #expect(reader.title == "A - B")
    }
  }

  @Test(arguments: [
    ("StreamTitle='it's; so';", "it's; so"), ("StreamTitle='';", ""), ("StreamTitle='cut off", nil),
    ("StreamUrl='x';", nil),
  ])
  func `a title may hold quotes`(text: String, title: String?) {
    #expect(IcyReader.title(in: text) == title)
  }

  @Test func `texts that are not UTF-8 are Latin-1`() {
    #expect(StreamText.decoded([0x42, 0xFC]) == "Bü")
    #expect(StreamText.decoded(Array("Bü".utf8)[...]) == "Bü")
  }

  private func urls(_ playlist: String, at base: String) -> [String] {
    var address = StreamAddress(base)
    guard address.follow(playlist: Array(playlist.utf8)) == nil else { return [] }
    var urls = [address.current]
    while address.giveUp() { urls.append(address.current) }
    return urls
  }

  @Test func `a playlist's entries are resolved where it stands`() {
    let base = "http://host:8000/dir/list.m3u"
    let m3u = "#EXTM3U\r\na.mp3\r\n/b.mp3\r\nhttp://other/c\r\nftp://no/d\r\n"
    #expect(
      urls(m3u, at: base) == ["http://host:8000/dir/a.mp3", "http://host:8000/b.mp3", "http://other/c"])
    let pls = "[Playlist]\nFile1=http://x/1\nTitle1=t\nfile2 = http://x/2\n"
    #expect(urls(pls, at: base) == ["http://x/1", "http://x/2"])
    var address = StreamAddress(base)
    #expect(address.follow(playlist: Array("#EXTM3U\n#EXT-X-VERSION:3\n".utf8)) == "HLS cannot be played")
  }

  @Test func `impossible numbers of a server are not believed`() {
    var response = HTTPResponse()
    for line in ["HTTP/1.1 200 OK", "icy-metaint: -5", "icy-br: 99999999", "Content-Length: x", "nonsense"] {
      response.take(line + "\r\n")
    }
    #expect(response.metadataInterval == nil && response.bitRate == nil && response.length == nil)
    response.take("HTTP/1.1 206 Partial\r\n")
    response.take("Content-Range: bytes 5-9/10\r\n")
    #expect(response.length == 10)
  }

  @Test func `a queue gives its bytes in order`() {
    var queue = WaitingQueue<UInt8>()
    var (expected, given): ([UInt8], [UInt8]) = ([], [])
    for step in 0..<200 {
      let piece = [UInt8](repeating: UInt8(step), count: step * 13 % 4000)
      queue.append(piece)
      expected += piece
      given += queue.take(step * 29 % 3000)
    }
    given += queue.take(queue.count)
    #expect(given == expected)
  }
}
