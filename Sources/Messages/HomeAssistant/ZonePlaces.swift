/// How the gateway's zones lie in zones of Home Assistant, which decide where a person is.
public struct ZonePlaces: Hashable, Sendable {
  public static let home = "zone.home"

  /// Zones of ours in their order, each with an entity such as `zone.home`. nil: all lie in `zone.home`.
  public var zones: [(name: String, entity: String)]?

  public init(_ zones: [(name: String, entity: String)]? = nil) { self.zones = zones }

  public static func == (a: Self, b: Self) -> Bool { a.pairs == b.pairs }
  public func hash(into hasher: inout Hasher) { hasher.combine(pairs) }
  private var pairs: [[String]]? { zones?.map { [$0.name, $0.entity] } }

  /// `home` or `not_home`: with a template Home Assistant takes no other word for a place.
  var stateTemplate: String {
    guard let zones else { return "{{ 'home' if value_json.zones else 'not_home' }}" }
    let names = zones.filter { $0.entity == Self.home }.map { jinjaQuoted($0.name) }
    return
      "{{ 'home' if value_json.zones | select('in', [\(names.joined(separator: ", "))]) | list else 'not_home' }}"
  }

  /// Current releases ask `in_zones` who is in a zone, and take `home` alone for none.
  var attributesTemplate: String {
    var entities = "['zone.home'] if value_json.zones else []"
    if let zones {
      let pairs = zones.map { "[\(jinjaQuoted($0.name)), \(jinjaQuoted($0.entity))]" }.joined(separator: ", ")
      entities = "[\(pairs)] | selectattr(0, 'in', value_json.zones) | map(attribute=1) | unique | list"
    }
    return "{{ {'in_zones': \(entities), 'zones': value_json.zones} | tojson }}"
  }
}
