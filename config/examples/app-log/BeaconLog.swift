import Foundation

/// Appends what happens to a file that `beaconkeeper compare-log` reads, for example `seen("near", beacon: "pump")`.
func seen(_ event: String, beacon: String? = nil, _ more: [String: Any] = [:]) {
  var line = more
  (line["time"], line["event"], line["beacon"]) = (Date().timeIntervalSince1970, event, beacon)
  let folder = FileManager.default.urls(for: .documentDirectory, in: .userDomainMask)[0]
  let url = folder.appendingPathComponent("beacons.jsonl")
  guard let json = try? JSONSerialization.data(withJSONObject: line) else { return }
  if !FileManager.default.fileExists(atPath: url.path) { try? Data().write(to: url) }
  guard let file = try? FileHandle(forWritingTo: url) else { return }
  _ = try? file.seekToEnd()
  try? file.write(contentsOf: json + Data([0x0A]))
  try? file.close()
}
