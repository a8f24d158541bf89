import Glibc

/// CLOCK_MONOTONIC in nanoseconds.
func monotonic() -> Int64 {
  var now = timespec()
  unsafe clock_gettime(CLOCK_MONOTONIC, &now)
  return Int64(now.tv_sec) * 1_000_000_000 + Int64(now.tv_nsec)
}

/// xorshift: the same events in every run.
struct Random {
  private var state: UInt64 = 0x9E37_79B9_7F4A_7C15

  mutating func below(_ limit: Int64) -> Int64 {
    state ^= state << 13
    state ^= state >> 7
    state ^= state << 17
    return Int64(state % UInt64(limit))
  }
}
