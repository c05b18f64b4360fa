/// Where advertisements come from.
enum Radio {}
