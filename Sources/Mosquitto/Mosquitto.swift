/// A safe face of libmosquitto.
enum Mosquitto {}
