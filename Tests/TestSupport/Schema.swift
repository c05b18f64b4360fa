import Foundation

/// As much of JSON Schema (draft 2020-12) as the schemas in config/schemas use. A keyword that it does not know is a
/// fault: none is passed over in silence.
struct Schema: Sendable {
  struct Unusable: Error { var reason: String }

  private let root: [String: JSONValue]

  init(_ bytes: [UInt8]) throws {
    guard case .object(let root) = try JSONValue(bytes) else { throw Unusable(reason: "no object") }
    self.root = root
  }

  /// What a reference within the document leads to.
  private func definition(_ reference: String) -> JSONValue? {
    guard reference.hasPrefix("#/") else { return nil }
    return reference.dropFirst(2).split(separator: "/").reduce(JSONValue.object(root) as JSONValue?) {
      value, name in
      guard case .object(let members)? = value else { return nil }
      return members[String(name)]
    }
  }

  /// The same for a value that a schema within the document describes, such as one of an OpenAPI document.
  func faults(_ value: JSONValue, as reference: String) -> [String] {
    faults(value, .object(["$ref": .text(reference)]), at: "")
  }

  /// What is wrong with a value; empty: nothing.
  func faults(_ value: JSONValue) -> [String] { faults(value, .object(root), at: "") }

  private func faults(_ value: JSONValue, _ schema: JSONValue, at path: String) -> [String] {
    guard case .object(let rules) = schema else { return ["\(path): the schema is no object"] }
    return rules.sorted { $0.key < $1.key }.flatMap { fault(value, $0.key, $0.value, rules, at: path) }
  }

  private func fault(
    _ value: JSONValue, _ keyword: String, _ rule: JSONValue, _ rules: [String: JSONValue], at path: String
  ) -> [String] {
    func unless(_ holds: Bool) -> [String] { holds ? [] : ["\(path): \(keyword) does not hold for \(value)"] }
    switch (keyword, rule, value) {
    case ("$schema", _, _), ("$defs", _, _), ("title", _, _), ("description", _, _),
      ("format", _, _), ("default", _, _), ("examples", _, _):
      return []
    case ("type", .text(let kind), _): return unless(value.kinds.contains(kind))
    case ("type", .list(let kinds), _):
      return unless(kinds.contains { value.kinds.map(JSONValue.text).contains($0) })
    case ("const", _, _): return unless(value == rule)
    case ("enum", .list(let values), _): return unless(values.contains(value))
    case ("minimum", .number(let least), .number(let number)): return unless(number >= least)
    case ("pattern", .text(let pattern), .text(let text)):
      return unless((try? Regex(pattern).firstMatch(in: text)) != nil)
    case ("maximum", .number(let most), .number(let number)): return unless(number <= most)
    case ("maxItems", .number(let most), .list(let elements)): return unless(Double(elements.count) <= most)
    case ("minItems", .number(let least), .list(let elements)): return unless(Double(elements.count) >= least)
    case ("minLength", .number(let least), .text(let text)): return unless(Double(text.count) >= least)
    case ("maxLength", .number(let most), .text(let text)): return unless(Double(text.count) <= most)
    case ("minimum", .number, _), ("maximum", .number, _), ("minItems", .number, _), ("maxItems", .number, _),
      ("minLength", .number, _), ("maxLength", .number, _), ("pattern", .text, _):
      return []
    case ("required", .list(let keys), .object(let members)):
      return keys.flatMap { key -> [String] in
        guard case .text(let key) = key else { return ["\(path): a required key is no text"] }
        return members[key] == nil ? ["\(path): \(key) is missing"] : []
      }
    case ("properties", .object(let properties), .object(let members)):
      return members.flatMap { key, member in
        properties[key].map { faults(member, $0, at: "\(path)/\(key)") } ?? []
      }
    case ("additionalProperties", _, .object(let members)):
      var known: Set<String> = []
      if case .object(let properties)? = rules["properties"] { known = Set(properties.keys) }
      return members.filter { !known.contains($0.key) }.flatMap { key, member in
        rule == .flag(false) ? ["\(path): nobody knows \(key)"] : faults(member, rule, at: "\(path)/\(key)")
      }
    case ("propertyNames", _, .object(let members)):
      return members.keys.flatMap { faults(.text($0), rule, at: "\(path)/\($0)") }
    case ("dependentRequired", .object(let others), .object(let members)):
      return members.keys.compactMap { others[$0] }.flatMap { fault(value, "required", $0, rules, at: path) }
    case ("dependentSchemas", .object(let others), .object(let members)):
      return members.keys.compactMap { others[$0] }.flatMap { faults(value, $0, at: path) }
    case ("not", _, _): return unless(!faults(value, rule, at: path).isEmpty)
    case ("items", _, .list(let elements)):
      return elements.enumerated().flatMap { faults($0.element, rule, at: "\(path)/\($0.offset)") }
    case ("required", .list, _), ("properties", .object, _), ("additionalProperties", _, _), ("items", _, _),
      ("propertyNames", _, _), ("dependentRequired", .object, _), ("dependentSchemas", .object, _):
      return []
    case ("anyOf", .list(let choices), _):
      return unless(choices.contains { faults(value, $0, at: path).isEmpty })
    case ("oneOf", .list(let choices), _):
      return unless(choices.count { faults(value, $0, at: path).isEmpty } == 1)
    case ("$ref", .text(let reference), _):
      guard let definition = definition(reference) else { return ["\(path): \(reference) leads nowhere"] }
      return faults(value, definition, at: path)
    default: return ["\(path): the keyword \(keyword) is not understood"]
    }
  }
}
