internal import LullWire

extension SessionOpening {
  var fields: Request.Session {
    Request.Session(
      category: category, direction: direction, rate: format.rate,
      channels: format.channels, format: format.sample, frames: frames,
      mix: options.contains(.mixWithOthers), duck: options.contains(.duckOthers),
      spoken: options.contains(.spokenContent), lowWater: lowWater, latency: latency,
      device: device.name)
  }
}

extension AudioRouteChange {
  init(_ notice: RouteNotice) {
    let isNew = notice.change == .new
    device = isNew ? notice.device ?? DeviceName.usual : nil
    previous = notice.old
    reason = notice.reason ?? (isNew ? .newDeviceAvailable : .oldDeviceUnavailable)
  }
}
