internal import CSpeexDSP

/// Removes the sound of the speaker from that of the microphone: speexdsp's adaptive filter, followed by the
/// suppression of the residual echo.
///
/// The canceller works on blocks of 10 ms: its output is one block late.
@safe public final class EchoCanceller {
  /// The options of a canceller.
  public struct Settings: Equatable, Sendable {
    /// True to make steady noise quieter.
    public var suppressesNoise = false
    /// True to bring the voice to the usual level.
    public var levelsGain = false
    /// The longest delay of the echo from the speaker to the microphone, in seconds.
    public var tail = 0.2

    /// Creates settings that remove the echo alone.
    public init() {}
  }

  /// The samples of a block.
  public static let block = Opus.rate / 100
  /// The decibels by which steady noise is made quieter, and the residual echo while the near end is silent
  /// and while it speaks (speexdsp's own defaults).
  private static let suppression: (noise: Int32, echo: Int32, echoInSpeech: Int32) = (-15, -40, -15)

  private let echo: OpaquePointer
  private let rest: OpaquePointer
  private var output = [Int16](repeating: 0, count: EchoCanceller.block)

  /// Creates a canceller; nil without memory.
  public init?(_ settings: Settings = Settings()) {
    let length = Int32(settings.tail * Double(Opus.rate))
    guard let echo = unsafe speex_echo_state_init(Int32(Self.block), length) else { return nil }
    guard let rest = unsafe speex_preprocess_state_init(Int32(Self.block), Int32(Opus.rate)) else {
      unsafe speex_echo_state_destroy(echo)
      return nil
    }
    unsafe (self.echo, self.rest) = unsafe (echo, rest)
    var rate = Int32(Opus.rate)
    unsafe speex_echo_ctl(echo, SPEEX_ECHO_SET_SAMPLING_RATE, &rate)
    unsafe speex_preprocess_ctl(rest, SPEEX_PREPROCESS_SET_ECHO_STATE, UnsafeMutableRawPointer(echo))
    // Without DENOISE speexdsp does not suppress the residual echo either.
    set(SPEEX_PREPROCESS_SET_DENOISE, 1)
    set(SPEEX_PREPROCESS_SET_NOISE_SUPPRESS, settings.suppressesNoise ? Self.suppression.noise : 0)
    set(SPEEX_PREPROCESS_SET_ECHO_SUPPRESS, Self.suppression.echo)
    set(SPEEX_PREPROCESS_SET_ECHO_SUPPRESS_ACTIVE, Self.suppression.echoInSpeech)
    set(SPEEX_PREPROCESS_SET_AGC, settings.levelsGain ? 1 : 0)
  }

  deinit {
    unsafe speex_preprocess_state_destroy(rest)
    unsafe speex_echo_state_destroy(echo)
  }

  private func set(_ request: Int32, _ value: Int32) {
    var value = value
    unsafe speex_preprocess_ctl(rest, request, &value)
  }

  /// Removes from the captured samples the echo of the samples that were played meanwhile: as many of each,
  /// whole blocks.
  public func cancel(_ captured: inout [Int16], played: [Int16]) {
    precondition(captured.count == played.count && captured.count % Self.block == 0, "whole blocks of both")
    for start in stride(from: 0, to: captured.count, by: Self.block) {
      unsafe captured.withUnsafeMutableBufferPointer { captured in
        unsafe played.withUnsafeBufferPointer { played in
          guard let near = captured.baseAddress, let far = played.baseAddress else { return }
          unsafe cancel(near + start, far + start)
        }
      }
    }
  }

  private func cancel(_ near: UnsafeMutablePointer<Int16>, _ far: UnsafePointer<Int16>) {
    unsafe output.withUnsafeMutableBufferPointer { output in
      guard let result = output.baseAddress else { return }
      unsafe speex_echo_cancellation(echo, near, far, result)
      unsafe speex_preprocess_run(rest, result)
      unsafe near.update(from: result, count: Self.block)
    }
  }
}
