/// The documents that are the sources of the profiles' constants; `Constant.source` names them by their codes.
public enum PolicySource: String, CaseIterable, Sendable {
  case radiusNetworks = "S0"
  case museumGuide = "S1"
  case backgroundTaskReference = "S2"
  case rangingForever = "S3"
  case taskList = "S4"

  public var title: String {
    switch self {
    case .radiusNetworks: "Radius Networks, Extending Background Ranging on iOS (2014)"
    case .museumGuide: "Beacon Ranging in the Background (museum audio guide)"
    case .backgroundTaskReference: "Apple's reference of beginBackgroundTask"
    case .rangingForever: "David G. Young on ranging forever (2023)"
    case .taskList: "Samuel Hu, Utilizing BackgroundTask list (2014)"
    }
  }

  private var name: String {
    switch self {
    case .radiusNetworks: "Radius Networks 2014"
    case .museumGuide: "museum audio guide"
    case .backgroundTaskReference: "Apple's beginBackgroundTask"
    case .rangingForever: "D. G. Young 2023"
    case .taskList: "S. Hu 2014"
    }
  }

  /// A source as text, with the documents' names instead of their codes.
  public static func inWords(_ source: String) -> String {
    allCases.reduce(source) {
      $0.split(separator: $1.rawValue, omittingEmptySubsequences: false).joined(separator: $1.name)
    }
  }
}
