internal import CAlsa

struct AlsaParameters {
  var rate: Int
  var channels: Int
  var sample: SampleFormat
  var buffer: Int
  var period: Int

  private static let mostChannels: UInt32 = 8

  static func set(_ pcm: OpaquePointer, _ request: SinkRequest) throws(SinkError) -> AlsaParameters {
    let found = try unsafe setHardware(pcm, request)
    try unsafe setSoftware(pcm)
    return found
  }

  private static func setHardware(_ pcm: OpaquePointer, _ request: SinkRequest) throws(SinkError)
    -> AlsaParameters
  {
    var allocated: OpaquePointer?
    try AlsaDevice.check(unsafe snd_pcm_hw_params_malloc(&allocated), "memory")
    guard let hardware = unsafe allocated else { throw .gone("memory") }
    defer { unsafe snd_pcm_hw_params_free(hardware) }
    try AlsaDevice.check(unsafe snd_pcm_hw_params_any(pcm, hardware), "parameters")
    try AlsaDevice.check(
      unsafe snd_pcm_hw_params_set_access(pcm, hardware, SND_PCM_ACCESS_RW_INTERLEAVED), "interleaved frames")
    let narrowFirst = [
      (SampleFormat.s16, SND_PCM_FORMAT_S16_LE), (.s32, SND_PCM_FORMAT_S32_LE),
      (.f32, SND_PCM_FORMAT_FLOAT_LE),
    ]
    let wanted = request.isNarrow ? narrowFirst : narrowFirst.reversed()
    guard
      let (sample, _) = wanted.first(where: { unsafe snd_pcm_hw_params_set_format(pcm, hardware, $0.1) == 0 })
    else { throw .gone("its sample format is none of 16 bits, 32 bits and float") }
    var (channels, rate) = (UInt32(request.channels), UInt32(request.rate))
    try AlsaDevice.check(unsafe snd_pcm_hw_params_set_channels_near(pcm, hardware, &channels), "channels")
    guard channels <= mostChannels else {
      throw .gone("it has \(channels) channels, and at most \(mostChannels) are possible")
    }
    try AlsaDevice.check(unsafe snd_pcm_hw_params_set_rate_near(pcm, hardware, &rate, nil), "rate")
    var microseconds = UInt32(request.seconds * 1_000_000)
    var part = microseconds / 4
    unsafe snd_pcm_hw_params_set_period_time_near(pcm, hardware, &part, nil)
    unsafe snd_pcm_hw_params_set_buffer_time_near(pcm, hardware, &microseconds, nil)
    // Timers wake lull-audio, so a device that can do without interrupts does without them.
    if unsafe snd_pcm_hw_params_can_disable_period_wakeup(hardware) == 1 {
      unsafe snd_pcm_hw_params_set_period_wakeup(pcm, hardware, 0)
    }
    try AlsaDevice.check(unsafe snd_pcm_hw_params(pcm, hardware), "parameters")
    var (buffer, period): (snd_pcm_uframes_t, snd_pcm_uframes_t) = (0, 0)
    try AlsaDevice.check(unsafe snd_pcm_get_params(pcm, &buffer, &period), "parameters")
    return AlsaParameters(
      rate: Int(rate), channels: Int(channels), sample: sample, buffer: Int(buffer), period: Int(period))
  }

  /// The device starts only when `start` is called.
  private static func setSoftware(_ pcm: OpaquePointer) throws(SinkError) {
    var allocated: OpaquePointer?
    try AlsaDevice.check(unsafe snd_pcm_sw_params_malloc(&allocated), "memory")
    guard let software = unsafe allocated else { throw .gone("memory") }
    defer { unsafe snd_pcm_sw_params_free(software) }
    try AlsaDevice.check(unsafe snd_pcm_sw_params_current(pcm, software), "parameters")
    var boundary: snd_pcm_uframes_t = 0
    try AlsaDevice.check(unsafe snd_pcm_sw_params_get_boundary(software, &boundary), "parameters")
    try AlsaDevice.check(unsafe snd_pcm_sw_params_set_start_threshold(pcm, software, boundary), "start")
    try AlsaDevice.check(unsafe snd_pcm_sw_params(pcm, software), "parameters")
  }
}
