/// The MQTT contract.
enum Messages {}
