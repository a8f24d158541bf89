// The table of docs/AUDIBILITY.md through the meter and the rule: `audibility-table [RATE...]`. It prints
// each row with its outcome at each rate, and ends with status 1 when one does not hold.
import Glibc

#if DEBUG
  // Without optimization the filters take a hundred times as long.
  let usual = [16_000]
#else
  let usual = [8000, 16_000, 44_100, 48_000, 96_000, 192_000]
#endif
let named = CommandLine.arguments.dropFirst().compactMap { Int($0) }.filter { (8000...192_000).contains($0) }
guard named.count == CommandLine.arguments.count - 1 else {
  print("audibility-table: a rate is a number from 8000 to 192000; usage: audibility-table [RATE...]")
  exit(64)
}
let rates = named.isEmpty ? usual : named

print(
  "at \(rates.map { "\($0)" }.joined(separator: ", ")) Hz: holds, `-` the rate cannot carry it, or why not")
var failed = false
for row in Row.all {
  let outcomes = rates.map { rate in
    switch row.outcome(rate: rate) {
    case .holds: return "holds"
    case .cannotCarry: return "-"
    case .fails(let why):
      failed = true
      return "FAILS at \(rate) Hz, \(why)"
    }
  }
  let expected = if case .never = row.expected { "no " } else { "yes" }
  print("\(expected)  \(row.name): \(outcomes.joined(separator: "  "))")
  fflush(nil)
}
exit(failed ? 1 : 0)
