import LullEngine
import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullGuard

/// The lines that one lull-guard hands to the next one by way of the service manager.
@Suite(.bounded) struct ServiceStoreTests {
  private func line(_ number: Int) -> Message {
    Message(.keepLine).adding(.line, number).adding(.name, "a \"b\"\nc")
  }

  @Test func `messages come back with their own descriptors`() throws {
    let one = try EventDescriptor()
    let two = try EventDescriptor()
    let store = ServiceStore([
      .init(message: line(1), descriptor: DescriptorBox(try Descriptor.duplicating(one.raw))),
      .init(message: line(2), descriptor: DescriptorBox(try Descriptor.duplicating(two.raw))),
    ])
    let kept = try store.descriptors()
    #expect(kept.map(\.name) == ["lull-1", "lull-2", "lull-lines"])
    // The service manager may hand them over in another order.
    let back = ServiceStore(InheritedDescriptors(kept.reversed().map { ($0.name, $0.descriptor) }))
    #expect(back.items.map(\.message) == store.items.map(\.message))
    try two.signal()
    #expect(try Socket.poll(back.items[1].descriptor.raw, .readable, timeoutMilliseconds: 0) == .readable)
    #expect(try Socket.poll(back.items[0].descriptor.raw, .readable, timeoutMilliseconds: 0).isEmpty)
  }

  @Test func `a line whose descriptor is missing is passed over`() throws {
    let counter = try EventDescriptor()
    let event = DescriptorBox(try Descriptor.duplicating(counter.raw))
    let kept = try ServiceStore([
      .init(message: line(1), descriptor: event), .init(message: line(2), descriptor: event),
    ]).descriptors()
    let left = kept.filter { $0.name != "lull-1" }.map { ($0.name, $0.descriptor) }
    #expect(ServiceStore(InheritedDescriptors(left)).items.map { $0.message[.line] } == ["2"])
  }

  @Test func `a file that is none of Lull's does no harm`() throws {
    let text = Array("\n-\n- =\nlull-1 store\nlull-1 keep-line\n".utf8)
    let file = DescriptorBox(try Files.memoryFile(name: "x", text))
    #expect(ServiceStore(InheritedDescriptors([("lull-lines", file)])).items.isEmpty)
    let null = DescriptorBox(try Files.openNull())
    #expect(ServiceStore(InheritedDescriptors([("lull-lines", null)])).items.isEmpty)
    #expect(ServiceStore(InheritedDescriptors([])).items.isEmpty)
  }

  @Test func `descriptors for another process are not taken`() {
    let variables = ["LISTEN_PID": "1", "LISTEN_FDS": "3"]
    #expect(InheritedDescriptors(pid: 2) { variables[$0] }.named.isEmpty)
    #expect(InheritedDescriptors(pid: 1) { $0 == "LISTEN_PID" ? "1" : nil }.named.isEmpty)
  }
}
