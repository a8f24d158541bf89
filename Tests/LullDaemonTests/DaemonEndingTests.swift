import LullSystem
import LullWire
import TestSupport
import Testing

@testable import LullDaemon

/// The end of lulld that a client has asked for.
@Suite(.bounded) struct DaemonEndingTests {
  private let ending = DaemonEnding()

  @Test func `without programs it is due at once`() {
    #expect(!ending.isDue)
    #expect(ending.refusal(of: .run(.init())) == nil)
    ending.begin(withPrograms: false)
    ending.advance(hasPrograms: true, isStarting: false)
    #expect(ending.isDue)
  }

  @Test func `a program that is being started has the time for it`() {
    ending.begin(withPrograms: false)
    ending.advance(hasPrograms: true, isStarting: true)
    #expect(!ending.isDue && ending.deadline != nil)
    #expect(ending.refusal(of: .started) == nil)
    ending.advance(hasPrograms: true, isStarting: false)
    #expect(ending.isDue && ending.deadline == nil)
  }

  @Test func `with programs it is due when each was asked and all have ended`() {
    ending.begin(withPrograms: true)
    #expect(ending.nextSlot == 0)
    ending.asked(slot: 3)
    #expect(ending.nextSlot == 4)
    ending.advance(hasPrograms: false, isStarting: false)
    #expect(!ending.isDue)
    ending.allAsked(killedAt: .max / 2)
    ending.advance(hasPrograms: true, isStarting: false)
    #expect(!ending.isDue && ending.nextSlot == nil && ending.deadline != nil)
    ending.advance(hasPrograms: false, isStarting: false)
    #expect(ending.isDue && ending.deadline == nil)
  }

  @Test func `a program that does not end does not hold it up for ever`() {
    ending.begin(withPrograms: true)
    ending.allAsked(killedAt: Clock.boottime() - 10_000_000_000)
    ending.advance(hasPrograms: true, isStarting: false)
    #expect(ending.isDue)
  }

  @Test func `one that comes back meanwhile is asked, and has its time to end`() {
    ending.came(slot: 1)
    #expect(!ending.isDue && ending.nextSlot == nil)
    ending.begin(withPrograms: true)
    ending.asked(slot: 3)
    ending.came(slot: 1)
    #expect(ending.nextSlot == 1)
    ending.allAsked(killedAt: Clock.boottime() - 10_000_000_000)
    ending.came(slot: 2)
    ending.advance(hasPrograms: true, isStarting: false)
    #expect(!ending.isDue && ending.nextSlot == 2)
  }

  @Test func `meanwhile nothing new is taken, and whoever is in a hurry ends it at once`() {
    ending.begin(withPrograms: true)
    for request in [Request.run(.init()), .started] { #expect(ending.refusal(of: request) != nil) }
    #expect(ending.refusal(of: .status(name: nil)) == nil)
    ending.begin(withPrograms: true)
    #expect(ending.nextSlot == 0)
    ending.begin(withPrograms: false)
    #expect(ending.isDue)
  }
}
