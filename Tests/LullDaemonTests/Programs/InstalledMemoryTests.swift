import LullEngine
import LullSystem
import TestSupport
import Testing

@testable import LullDaemon

/// What a daemon leaves to the next one.
@Suite(.bounded) struct InstalledMemoryTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private func engine(_ beginnings: KeyValuePairs<String, InstalledBeginning>) -> Engine {
    var engine = Engine()
    var effects: [Effect] = []
    for (name, beginning) in beginnings {
      _ = engine.handle(.install(name, beginning), at: Moment(nanoseconds: 0), effects: &effects)
    }
    return engine
  }

  private var memory: InstalledMemory { InstalledMemory(directory: folder.path, Journal()) }

  @Test func `what was quit and what has ended is told, and what is to run is not`() {
    let engine = engine(["music": .quit, "phone": .ended, "tea": .boot])
    let memory = memory
    memory.changed()
    memory.finish(engine, isOver: true)
    let remembered = self.memory.read()
    #expect(remembered == .init(quit: ["music"], ended: ["phone"], goesOn: false))
  }

  @Test func `a daemon that gives way has told everything, and the next one goes on`() {
    let memory = memory
    memory.changed()
    memory.finish(engine(["music": .quit]), isOver: false)
    #expect(self.memory.read() == .init(quit: ["music"], ended: [], goesOn: true))
  }

  @Test func `a daemon that died leaves what runs, until the machine is started again`() {
    let bytes = InstalledMemory.bytes(engine(["phone": .quit]).installedPrograms, isOver: false)
    #expect(InstalledMemory.read(bytes, boot: BootIdentity.current()).goesOn)
    let later = InstalledMemory.read(bytes, boot: "another")
    #expect(later == .init(quit: ["phone"], ended: [], goesOn: false))
  }

  @Test func `lines that are none of the file's are passed over, and without a file nothing is known`() {
    let bytes = Array("garbage =\nquit name=phone\nquit\nended name=tea\n\u{1}\n".utf8)
    #expect(InstalledMemory.read(bytes, boot: nil) == .init(quit: ["phone"], ended: ["tea"], goesOn: false))
    #expect(memory.read() == .init())
  }

  @Test func `without installed programs nothing is written`() {
    memory.finish(engine([:]), isOver: true)
    #expect(!Files.exists("\(folder.path)/installed"))
  }
}
