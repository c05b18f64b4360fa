/// Encrypted BTHome data, by counter: a temperature of 20 °C and as many hundredths as the counter's last three digits say. Made
/// with Python's `cryptography`, with the key and the address of the example of the BTHome documentation.
public let sealedTemperatures: [UInt32: String] = [
  0: "41de5bbb00000000eba19c74",
  1: "4107e9b701000000bded62d5",
  2: "41cfa70c020000002856f41a",
  37: "413328a0250000001032ad70",
  38: "417f6b6a26000000f92c9c65",
  99: "414db407630000000f4f4c85",
  100: "41c1d84264000000b3e38cb9",
  4130: "4199768e22100000e5bf36c0",
  4136: "417b927d2810000032b1ed35",
  4137: "41e4b81b29100000d030f93e",
]
