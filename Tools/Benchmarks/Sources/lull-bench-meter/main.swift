// The meter and the conversion of samples beside libebur128: `lull-bench-meter`.

MeterBenchmark.run()
