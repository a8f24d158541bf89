import LullSystem
import TestSupport
import Testing

@testable import LullChannel

@Suite(.bounded) struct InstalledFolderTests {
  private let directory: TemporaryDirectory
  private var folder: InstalledFolder { InstalledFolder(directory.path) }

  init() throws { directory = try TemporaryDirectory() }

  private func shell(_ words: String...) throws {
    #expect(try Child(SpawnRequest(words)).end() == .exited(0))
  }

  @Test func `The names are those of programs, in order`() throws {
    for name in ["phone", "Music", "b.2", "x~", ".x.swp", "phone.bak", "phone.new", "#phone#", "a b"] {
      _ = try directory.file(name, "-- /bin/true")
    }
    try shell("mkdir", "\(directory.path)/folder")
    let contents = try folder.contents()
    #expect(contents.names == ["Music", "b.2", "phone"])
    #expect(
      contents.passedOver == [
        .init(name: "#phone#", reason: .copy), .init(name: ".x.swp", reason: .copy),
        .init(name: "a b", reason: .name), .init(name: "folder", reason: .folder),
        .init(name: "phone.bak", reason: .copy), .init(name: "phone.new", reason: .copy),
        .init(name: "x~", reason: .copy),
      ])
    #expect(folder.holds("phone") && !folder.holds("music") && !folder.holds("phone.bak"))
    #expect(!folder.holds("../\(directory.path.split(separator: "/").last ?? "")/phone"))
  }

  @Test func `No folder has no programs`() throws {
    let folder = InstalledFolder("\(directory.path)/missing")
    #expect(try folder.names() == [])
    #expect(!folder.holds("phone"))
    let problem = #expect(throws: InstalledFile.Problem.self) { try folder.file("phone") }
    let told = "phone: not installed; \"lull install phone -- COMMAND\" does it"
    #expect(problem?.description.hasSuffix("programs/\(told)") == true)
  }

  @Test func `A file is read, also behind a link`() throws {
    let path = try directory.file("phone", "-- /bin/true")
    try shell("ln", "-s", path, "\(directory.path)/link")
    #expect(try folder.file("phone").command == ["/bin/true"])
    #expect(try folder.file("link").command == ["/bin/true"])
  }

  @Test(arguments: ["664", "602"])
  func `A file that others may write is refused`(mode: String) throws {
    let path = try directory.file("phone", "-- /bin/true")
    try shell("chmod", mode, path)
    let problem = #expect(throws: InstalledFile.Problem.self) { try folder.file("phone") }
    #expect(problem?.errors[0].text.contains("\"chmod go-w\"") == true)
  }

  @Test func `A folder in which others may write is refused`() throws {
    _ = try directory.file("phone", "-- /bin/true")
    try shell("chmod", "777", directory.path)
    let problem = #expect(throws: InstalledFile.Problem.self) { try folder.file("phone") }
    #expect(problem?.errors[0].text.hasPrefix("others can write \(directory.path)") == true)
  }

  @Test func `A fifo, a folder and a file that is too long are refused`() throws {
    try shell("mkfifo", "\(directory.path)/fifo")
    try shell("mkdir", "\(directory.path)/folder")
    try shell("truncate", "-s", "2M", "\(directory.path)/long")
    let texts = [
      "fifo": "a named pipe, and no file; \"lull remove fifo\" removes it",
      "folder": "a folder, and no file; take it away (\(directory.path)/folder)",
    ]
    for (name, text) in texts {
      #expect(throws: InstalledFile.Problem(name: name, text: text)) { try folder.file(name) }
    }
    #expect(folder.holds("fifo") && !folder.holds("folder"))
    #expect(throws: InstalledFile.Problem.self) { try folder.file("long") }
  }
}
