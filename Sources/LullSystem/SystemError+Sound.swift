internal import Glibc

/// What ALSA's error numbers say of a stream of sound.
extension SystemError {
  /// A device that plays has run dry, or one that captures has run over (EPIPE).
  public var isOverOrUnderrun: Bool { code == EPIPE }
  /// The machine slept while the stream ran (ESTRPIPE).
  public var isStreamSuspended: Bool { code == ESTRPIPE }
}
