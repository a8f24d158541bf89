import Lull

/// Where frames are written and heard later: an ``AudioSession``, whose members these are.
protocol Output: AnyObject {
  var format: AudioFormat { get }
  var writableFrames: Int { get }
  var position: UInt64 { get }
  var written: UInt64 { get }
  var state: AudioSession.State { get }
  var gain: Float { get set }
  func write(_ bytes: UnsafeRawBufferPointer) -> Int
  func askForFrames(when queued: Int)
  func play()
  func pause()
  func stop()
  func drain()
  func flush()
  func close()
}

extension AudioSession: Output {}

/// Opens an output for frames of a format; the handler is called for its events.
typealias OutputMaker = (AudioFormat, @escaping (AudioSession.Event) -> Void) throws(LullError) -> any Output
