internal import LullSystem

extension ThreadCall {
  /// A bound above what any program polls; a longer array is taken for no wait.
  static let mostDescriptors = 1 << 16

  func polledDescriptors(of thread: Int32) throws(SystemError) -> [WaitedDescriptor]? {
    guard argument(1) > 0 else { return [] }
    guard argument(1) <= Self.mostDescriptors else { return nil }
    var entries = [PolledEntry](repeating: PolledEntry(), count: Int(argument(1)))
    guard try read(argument(0), of: thread, into: &entries) else { return nil }
    var waited: [WaitedDescriptor] = []
    waited.reserveCapacity(entries.count)
    for entry in entries where entry.descriptor >= 0 {
      waited.append(WaitedDescriptor(number: entry.descriptor, interest: entry.interest))
    }
    return waited
  }

  func selectedDescriptors(of thread: Int32) throws(SystemError) -> [WaitedDescriptor]? {
    guard integer(0) >= 0, integer(0) <= Self.mostDescriptors else { return nil }
    guard let readable = try descriptorSet(1, of: thread), let writable = try descriptorSet(2, of: thread),
      let exceptional = try descriptorSet(3, of: thread)
    else { return nil }
    var waited: [WaitedDescriptor] = []
    for word in readable.indices {
      var members = readable[word] | writable[word] | exceptional[word]
      while members != 0 {
        let bit = UInt64(1) << UInt64(members.trailingZeroBitCount)
        var interest: Interest = readable[word] & bit == 0 ? [] : .readable
        if writable[word] & bit != 0 { interest.insert(.writable) }
        if exceptional[word] & bit != 0 { interest.insert(.priority) }
        let number = Int32(word * 64 + members.trailingZeroBitCount)
        waited.append(WaitedDescriptor(number: number, interest: interest))
        members &= ~bit
      }
    }
    return waited
  }

  /// One of select's sets, without the bits behind its length; empty where there is no set.
  private func descriptorSet(_ index: Int, of thread: Int32) throws(SystemError) -> [UInt64]? {
    let count = Int(integer(0))
    var words = [UInt64](repeating: 0, count: (count + 63) / 64)
    guard argument(index) != 0, count > 0 else { return words }
    guard try read(argument(index), of: thread, into: &words) else { return nil }
    if count % 64 != 0 { words[words.count - 1] &= (1 << UInt64(count % 64)) - 1 }
    return words
  }
}

/// An entry of poll's array, as it stands in the thread's memory.
private struct PolledEntry: BitwiseCopyable {
  var descriptor: Int32 = 0
  var events: UInt16 = 0
  var found: UInt16 = 0

  var interest: Interest {
    // POLLRDNORM and POLLWRNORM are the same as POLLIN and POLLOUT.
    let (readNormal, writeNormal): (UInt32, UInt32) = (0x040, 0x100)
    let events = UInt32(events)
    var interest = Interest(rawValue: events).intersection([.readable, .priority, .writable, .readHangUp])
    if events & readNormal != 0 { interest.insert(.readable) }
    if events & writeNormal != 0 { interest.insert(.writable) }
    return interest
  }
}
