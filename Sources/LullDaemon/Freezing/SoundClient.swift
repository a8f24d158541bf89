/// A process with a connection to a sound server, and the address at which that speaks the protocol of
/// PulseAudio.
struct SoundClient: Equatable {
  let pid: Int32
  let server: String
}
