import Glibc

/// The settings of the replay command.
enum Environment {
  /// `LULL_SEED=7`, or `LULL_SEED=1-5000` for a range; without it the seeds of the normal run.
  static var seeds: [UInt64] {
    let parts = (value("LULL_SEED") ?? "1-100").split(separator: "-").compactMap { UInt64($0) }
    guard let first = parts.first, let last = parts.last, first <= last else { return [] }
    return Array(first...last)
  }

  /// `LULL_STEPS=10000`.
  static var steps: Int { value("LULL_STEPS").flatMap { Int($0) } ?? 10_000 }

  private static func value(_ name: String) -> String? {
    unsafe getenv(name).map { unsafe String(cString: $0) }
  }
}
