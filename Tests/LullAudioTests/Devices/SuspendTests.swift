import CSleepyDevice
import LullSystem
import TestSupport
import Testing

@testable import LullAudio

/// A device of ALSA whose machine slept (ESTRPIPE).
@Suite(.bounded) @safe struct SuspendTests {
  private let device: OpaquePointer
  private let sink: AlsaDevice
  private let content = [Float](repeating: 0.5, count: 9600)

  init() throws {
    let opened = unsafe try #require(unsafe sleepy_open())
    unsafe device = unsafe opened
    let pcm = unsafe try #require(unsafe OpaquePointer(sleepy_pcm(opened)))
    sink = try unsafe AlsaDevice(pcm, name: "sleepy", SinkRequest())
    try begin()
  }

  private func begin() throws {
    #expect(try unsafe content.withUnsafeBufferPointer { try unsafe sink.write($0, anew: true) } == 4800)
    try sink.start()
    unsafe sleepy_play(device, 1000)
    #expect(try sink.delay() == 3800)
  }

  @Test func `each question tells that it was suspended, and it is begun anew`() throws {
    unsafe sleepy_suspend(device, 1)
    #expect(throws: SinkError.suspended) { try sink.delay() }
    #expect(throws: SinkError.suspended) { try sink.room() }
    #expect(throws: SinkError.suspended) {
      try unsafe content.withUnsafeBufferPointer { try unsafe sink.write($0, anew: false) }
    }
    _ = sink.stop()
    try begin()
  }

  @Test(arguments: [0, 1, 1000] as [UInt32])
  func `a device that is not to be resumed yet, or ever, is prepared all the same`(refusals: UInt32) throws {
    unsafe sleepy_suspend(device, refusals)
    try sink.prepare()
    #expect(unsafe sleepy_resumed(device) == 1)
    try begin()
  }

  @Test func `the renderer's output loses what was on its way, and says so`() throws {
    let output = DeviceOutput(open: { _ throws(SinkError) in sink })
    let isNew = output.openIfDue(SinkRequest(), now: 0) == true
    #expect(isNew)
    unsafe content.withUnsafeBufferPointer { unsafe output.write($0, now: 0) }
    output.begin(now: 0)
    unsafe sleepy_suspend(device, 1)
    let isWhole = output.measure(now: 1_000_000)
    #expect(!isWhole && !output.isRunning && output.sink != nil)
    unsafe content.withUnsafeBufferPointer { unsafe output.write($0, now: 2_000_000) }
    output.begin(now: 2_000_000)
    #expect(output.isRunning && output.queued == 4800)
  }
}
