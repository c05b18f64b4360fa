import Settings

/// What `http:` opens, and to whom.
func sentence(_ http: HTTPSettings) -> String {
  let host = http.address.contains(":") ? "[\(http.address)]" : http.address
  let place = "\(http.tls == nil ? "http" : "https")://\(host)\(http.port == 0 ? "" : ":\(http.port)")"
  var parts = ["the page and the API at \(place)"]
  if http.port == 0 { parts.append("on any port that is free") }
  parts.append(http.isLoopback ? "for this machine alone" : "for whoever reaches this address")
  if http.tls == nil, !http.isLoopback { parts.append("in the clear") }
  switch (http.readPassword != nil, http.isLoopback) {
  case (true, _): parts.append("with a password")
  case (false, true): parts.append("without a password")
  // It is in a file that only the gateway may read.
  case (false, false): break
  }
  if !http.proxies.isEmpty {
    let verb = http.proxies.count == 1 ? "authenticates" : "authenticate"
    parts.append("\(listed(http.proxies, joining: "and")) \(verb) users")
  }
  if !http.hosts.isEmpty { parts.append("also called \(listed(http.hosts, joining: "and"))") }
  parts.append(
    http.writePassword == nil
      ? "read-only"
      : "the write password allows changes to the configuration")
  return parts.joined(separator: "; ")
}
