import LullEngine
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

@Suite(.bounded) struct ProgramTableTests {
  private let table = ProgramTable()

  private func take(_ name: String, _ id: AppID, cgroupPath: String? = nil) throws {
    table.add(try testProgram(name, id: id, cgroupPath: cgroupPath))
  }

  @Test func `a program is found by its id, until it is removed`() throws {
    let id = AppID(slot: 2, generation: 0x100_0003)
    try take("phone", id)
    #expect(table[id]?.name == "phone")
    #expect(table[AppID(slot: 2, generation: 4)] == nil)
    #expect(table.first(fromSlot: 0)?.name == "phone")
    #expect(table.first(fromSlot: 3) == nil)
    table.remove(AppID(slot: 2, generation: 4))
    #expect(table.map(\.name) == ["phone"])
    table.remove(id)
    #expect(table.map(\.name) == [])
  }

  @Test func `a process belongs to the program in whose cgroup it is`() throws {
    try take("one", AppID(slot: 0, generation: 0), cgroupPath: "/lull/one")
    try take("oneself", AppID(slot: 1, generation: 0), cgroupPath: "/lull/oneself")
    #expect(table.first(inCgroup: "/lull/one")?.name == "one")
    #expect(table.first(inCgroup: "/lull/one/below")?.name == "one")
    #expect(table.first(inCgroup: "/lull/oneself")?.name == "oneself")
    #expect(table.first(inCgroup: "/lull") == nil)
  }

  @Test func `a program that lost its connection leaves in time, unless it stays`() throws {
    let (one, two) = (AppID(slot: 0, generation: 0), AppID(slot: 1, generation: 0))
    try take("one", one)
    try take("two", two)
    table.mayLeave(one, at: 100)
    table.mayLeave(two, at: 50)
    #expect(table.deadline == 50)
    #expect(table.takeLeaving(by: 49).isEmpty)
    table.stays(two)
    #expect(table.deadline == 100)
    #expect(table.takeLeaving(by: 100).map(\.name) == ["one"])
    #expect(table.takeLeaving(by: .max).isEmpty)
    table.mayLeave(one, at: 100)
    table.remove(one)
    #expect(table.deadline == nil)
  }

  @Test func `a program has one kind, and ends with its last process`() throws {
    let unmanaged = try testProgram("aplay", .unmanagedClient)
    #expect(unmanaged.isUnmanaged && !unmanaged.isCommand && unmanaged.command == nil)
    unmanaged.becomeManaged(name: "player", unmanaged.suspender, cgroupPath: "/x")
    #expect(!unmanaged.isUnmanaged && !unmanaged.isCommand && unmanaged.name == "player")
    let command = try testProgram(
      "nc",
      .command(CommandState(CommandRules(Request.Run(), words: "nc -l"), startedAt: 7, keepAliveRanAt: nil)))
    #expect(command.isCommand && !command.isUnmanaged && command.command?.words == "nc -l")
    #expect(command.leaderStatus == nil && !command.waitsForLastProcess)
    command.leaderEnded(.exited(3))
    #expect(command.leaderStatus == .exited(3) && command.waitsForLastProcess)
    command.lastProcessEnded()
    #expect(command.leaderStatus == .exited(3) && !command.waitsForLastProcess)
  }
}

@Suite(.bounded) struct ExitsTests {
  private func end(_ name: String, _ pid: Int32) -> Exits.UnheardEnd {
    Exits.UnheardEnd(name: name, pid: pid, notice: Message(event: .exited).adding(.name, name))
  }

  @Test func `the end of a command is kept until somebody asks, and only the last one of a name`() {
    let exits = Exits()
    exits.remember(end("nc", 1))
    exits.remember(end("nc", 2))
    #expect(exits.take("other") == nil)
    #expect(exits.take("nc")?.pid == 2)
    #expect(exits.take("nc") == nil)
  }

  @Test func `the oldest end is forgotten when there are too many`() {
    let exits = Exits()
    for number in 0...Exits.maximumUnheard { exits.remember(end("n\(number)", Int32(number))) }
    #expect(exits.take("n0") == nil)
    #expect(exits.take("n1") != nil)
    #expect(exits.take("n\(Exits.maximumUnheard)") != nil)
  }
}
