import Glibc
import LullSystem
import TestSupport
import Testing

@Suite(.bounded) struct FilesFolderTests {
  @Test func `a folder's entries are files, folders behind links, and the rest`() throws {
    let directory = try TemporaryDirectory()
    let folder = directory.path
    try Files.replace(folder + "/file", with: [1])
    try Files.makeDirectories(folder + "/sub")
    #expect(unsafe symlink(folder, folder + "/up") == 0)
    #expect(unsafe symlink("/nowhere/at/all", folder + "/gone") == 0)
    #expect(unsafe mkfifo(folder + "/pipe", 0o600) == 0)
    let entries = try Files.entries(of: Array(folder.utf8))
    func kind(_ name: String) -> FolderEntry.Kind? { entries.first { $0.name == Array(name.utf8) }?.kind }
    #expect(entries.count == 5)
    #expect(kind("file") == .file && kind("gone") == .lostLink && kind("pipe") == .pipe)
    #expect(kind("up") == Files.kind(Array(folder.utf8)) && kind("up") != kind("sub"))
    #expect(Files.kind(Array("/nowhere/at/all".utf8)) == nil)
    #expect(throws: SystemError.self) { try Files.entries(of: Array((folder + "/file").utf8)) }
  }

  @Test func `a file is written over in place, read in parts, and renamed`() throws {
    let directory = try TemporaryDirectory()
    let folder = directory.path
    let path = folder + "/a"
    try Files.overwrite(path, with: [1, 2, 3, 4])
    try Files.overwrite(path, with: [9, 8])
    #expect(try Files.read(Array(path.utf8), limit: 10) == [9, 8, 3, 4])
    let file = try #require(try Files.openRegular(Array(path.utf8)))
    #expect(try Files.read(file.raw, at: 1, count: 2) == [8, 3])
    #expect(try Files.read(file.raw, at: 3, count: 100) == [4])
    try Files.rename(path, to: folder + "/b")
    #expect(!Files.exists(path) && Files.exists(folder + "/b"))
    #expect(throws: SystemError.self) { try Files.read(Array(folder.utf8), limit: 10) }
  }
}
