/// Configuration and composition.
enum Gateway {}
