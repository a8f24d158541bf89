import LullEngine
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// What a daemon leaves to the next one.
@Suite(.bounded) struct InstalledMemoryTests {
  private let folder: TemporaryDirectory

  init() throws { folder = try TemporaryDirectory() }

  private let clock = EngineClock(rate: 1, base: 0)

  /// Programs as the engine knows them that has been told this of them.
  private func programs(
    _ beginnings: KeyValuePairs<String, InstalledBeginning>, _ past: InstalledPast = InstalledPast()
  ) -> [KeptInstalled] {
    var engine = Engine()
    var effects: [Effect] = []
    for (name, beginning) in beginnings {
      let request = Engine.Request.install(name, beginning, past)
      _ = engine.handle(request, at: Moment(nanoseconds: 9_000_000_000_000), effects: &effects)
    }
    return engine.installedPrograms.map { KeptInstalled($0, clock) }
  }

  private var memory: InstalledMemory { InstalledMemory(directory: folder.path, Journal()) }

  /// What a memory says to lull-guard of these programs.
  private func told(_ memory: InstalledMemory, _ programs: [KeptInstalled]) -> [String] {
    memory.changed()
    return memory.news { programs }.map { "\($0.verb) \($0[.name] ?? "")" }
  }

  private func states(_ remembered: InstalledMemory.Remembered) -> [String: InstalledState] {
    Dictionary(uniqueKeysWithValues: remembered.programs.map { ($0.name, $0.state) })
  }

  @Test func `the disk has what was quit, what has ended, and that the others are to run`() {
    let memory = memory
    _ = told(memory, programs(["music": .quit, "phone": .ended, "tea": .boot]))
    memory.finish(isOver: true)
    let remembered = self.memory.read()
    #expect(states(remembered) == ["music": .quit, "phone": .ended, "tea": .running])
    #expect(!remembered.goesOn && !remembered.isWhole)
  }

  @Test func `a program that is ended to be started again is not quit on the disk`() {
    for (restarts, isQuitSince) in [(true, false), (false, false), (true, true)] {
      let memory = memory
      memory.wasQuit("phone", restarts: restarts)
      if isQuitSince { memory.wasQuit("phone", restarts: false) }
      _ = told(memory, programs(["phone": .quit]))
      memory.finish(isOver: false)
      let expected: InstalledState = restarts && !isQuitSince ? .running : .quit
      #expect(states(self.memory.read()) == ["phone": expected])
    }
  }

  @Test func `a restart is over when the program is started`() {
    let memory = memory
    memory.wasQuit("phone", restarts: true)
    for beginning in [InstalledBeginning.boot, .quit] { _ = told(memory, programs(["phone": beginning])) }
    memory.finish(isOver: false)
    #expect(states(self.memory.read()) == ["phone": .quit])
  }

  @Test func `a daemon that gives way has told everything, and the next one goes on`() {
    let memory = memory
    _ = told(memory, programs(["music": .quit]))
    memory.finish(isOver: false)
    let remembered = self.memory.read()
    #expect(states(remembered) == ["music": .quit] && remembered.goesOn)
  }

  @Test func `a daemon that died leaves what runs, until the machine is started again`() {
    let bytes = InstalledMemory.bytes(programs(["phone": .quit]), isOver: false)
    #expect(InstalledMemory.read(bytes, boot: BootIdentity.current()).goesOn)
    let later = InstalledMemory.read(bytes, boot: "another")
    #expect(states(later) == ["phone": .quit] && !later.goesOn)
  }

  @Test func `the keep-alive of one that has ended is kept on the disk`() throws {
    let past = InstalledPast(
      reason: .data, crashes: 2, cameAt: Moment(nanoseconds: 8_600_000_000_000), keepAlive: .seconds(900),
      keepAliveSince: Moment(nanoseconds: 8_700_000_000_000), hasKeptAlive: true)
    let bytes = InstalledMemory.bytes(programs(["phone": .ended], past), isOver: false)
    let phone = try #require(InstalledMemory.read(bytes, boot: BootIdentity.current()).find("phone"))
    #expect(phone.past(clock) == past)
  }

  @Test func `a first run that need not wait is kept soon after the start of the machine, too`() throws {
    var engine = Engine()
    var effects: [Effect] = []
    let past = InstalledPast(keepAlive: .seconds(600), keepAliveSince: Moment(nanoseconds: -1))
    let request = Engine.Request.install("phone", .quit, past)
    _ = engine.handle(request, at: Moment(nanoseconds: 0), effects: &effects)
    let kept = try #require(engine.installedPrograms.map { KeptInstalled($0, clock) }.first)
    #expect(try KeptInstalled(kept.adding(to: Message(.keepInstalled))).since == 0)
  }

  @Test func `lull-guard is told each change once, and everything anew when it asks`() {
    let memory = memory
    #expect(told(memory, programs(["a": .quit, "c": .boot])) == ["keep-installed a", "keep-installed c"])
    #expect(told(memory, programs(["a": .quit, "c": .boot])) == [])
    #expect(memory.news { [] } == [], "nothing has changed")
    let next = programs(["b": .boot, "c": .ended])
    #expect(told(memory, next) == ["drop-installed a", "keep-installed b", "keep-installed c"])
    memory.tellAnew()
    #expect(told(memory, next) == ["keep-installed b", "keep-installed c"])
  }

  @Test func `what lull-guard has kept goes before the disk`() {
    let first = memory
    _ = told(first, programs(["phone": .ended]))
    first.finish(isOver: true)
    let next = memory
    next.remember(KeptInstalled(name: "phone", state: .waiting, cause: .boot))
    let remembered = next.read()
    #expect(states(remembered) == ["phone": .waiting] && remembered.goesOn && remembered.isWhole)
  }

  @Test func `lines that are none of the file's are passed over, and without a file nothing is known`() {
    let bytes = Array("garbage =\nquit name=phone\nquit\nended name=tea\n\u{1}\n".utf8)
    let remembered = InstalledMemory.read(bytes, boot: nil)
    #expect(states(remembered) == ["phone": .quit, "tea": .ended] && !remembered.goesOn)
    #expect(memory.read() == .init())
  }

  @Test func `without installed programs nothing is written`() {
    let memory = memory
    _ = told(memory, [])
    memory.finish(isOver: true)
    #expect(!Files.exists("\(folder.path)/installed"))
  }

  @Test func `a folder that cannot be written is told, and what was quit is not taken for written`() throws {
    let path = "\(folder.path)/file"
    try Files.replace(path, with: [1])
    let memory = InstalledMemory(directory: path, Journal())
    _ = told(memory, programs(["phone": .quit]))
    #expect(memory.standing == .pending)
    memory.write(at: 0)
    guard case .failed = memory.standing else {
      Issue.record("it counts as \(memory.standing)")
      return
    }
  }
}
