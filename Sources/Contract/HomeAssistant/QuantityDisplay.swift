import Beacons

/// How Home Assistant shows a quantity: a unit and classes that belong together, as its releases 2025.4 to 2026.11 check them.
///
/// Source: https://developers.home-assistant.io/docs/core/entity/sensor and …/binary-sensor
struct QuantityDisplay {
  struct Number {
    var deviceClass: String?
    var unit: String?
    /// `measurement`, or a total if it only counts up.
    var stateClass = "measurement"
    var decimals: Int?
  }

  enum Kind {
    case number(Number)
    /// Seconds since 1970.
    case time
    /// An event, without a lasting state.
    case event
    case flag(deviceClass: String?)
  }

  var title: String
  var kind: Kind
  /// About the beacon itself rather than its surroundings.
  var isDiagnostic = false
  var detail = EntityDetail.normal

  static func number(
    _ title: String, _ deviceClass: String? = nil, _ unit: String? = nil, decimals: Int? = nil
  ) -> Self {
    Self(title: title, kind: .number(Number(deviceClass: deviceClass, unit: unit, decimals: decimals)))
  }

  static func total(
    _ title: String, _ deviceClass: String? = nil, _ unit: String? = nil, decimals: Int? = nil
  ) -> Self {
    Self(
      title: title,
      kind: .number(
        Number(deviceClass: deviceClass, unit: unit, stateClass: "total_increasing", decimals: decimals)))
  }

  static func flag(_ title: String, _ deviceClass: String? = nil) -> Self {
    Self(title: title, kind: .flag(deviceClass: deviceClass))
  }

  static func event(_ title: String) -> Self { Self(title: title, kind: .event) }

  var diagnostic: Self {
    var display = self
    display.isDiagnostic = true
    return display
  }

  /// Included in the smallest choice of entities.
  var important: Self {
    var display = self
    display.detail = .minimal
    return display
  }

  /// Useful to few people, or different in every advertisement.
  var technical: Self {
    var display = self
    display.detail = .all
    return display
  }
}

extension Quantity {
  /// nil for quantities that are neither in a beacon's state nor events.
  var display: QuantityDisplay? {
    switch self {
    case .temperature: .number("Temperature", "temperature", "°C", decimals: 1)
    case .humidity: .number("Humidity", "humidity", "%", decimals: 1)
    case .pressure: .number("Pressure", "atmospheric_pressure", "hPa", decimals: 1)
    case .batteryLevel: .number("Battery", "battery", "%", decimals: 0).diagnostic.important
    case .batteryVoltage: .number("Battery voltage", "voltage", "V", decimals: 2).diagnostic
    case .illuminance: .number("Illuminance", "illuminance", "lx", decimals: 0)
    case .massKilograms: .number("Mass", "weight", "kg", decimals: 2)
    case .massPounds: .number("Mass (lb)", "weight", "lb", decimals: 2)
    case .dewPoint: .number("Dew point", "temperature", "°C", decimals: 1)
    case .count: .number("Count")
    case .energy: .total("Energy", "energy", "kWh", decimals: 2)
    case .power: .number("Power", "power", "W", decimals: 1)
    case .voltage: .number("Voltage", "voltage", "V", decimals: 2)
    case .current: .number("Current", "current", "A", decimals: 2)
    // The micro sign must be U+00B5. Releases that spell the unit with a Greek mu accept it too.
    case .pm1: .number("PM1", "pm1", "\u{B5}g/m³", decimals: 1)
    case .pm25: .number("PM2.5", "pm25", "\u{B5}g/m³", decimals: 1)
    case .pm4: .number("PM4", nil, "\u{B5}g/m³", decimals: 1)
    case .pm10: .number("PM10", "pm10", "\u{B5}g/m³", decimals: 1)
    case .co2: .number("Carbon dioxide", "carbon_dioxide", "ppm", decimals: 0)
    case .tvoc: .number("Volatile organic compounds", "volatile_organic_compounds", "\u{B5}g/m³", decimals: 0)
    case .formaldehyde: .number("Formaldehyde", nil, "mg/m³", decimals: 2)
    case .heartRate: .number("Heart rate", nil, "bpm", decimals: 0)
    case .specificGravity: .number("Specific gravity", decimals: 3)
    case .closed: .number("Closed", nil, "%", decimals: 0)
    case .vocIndex: .number("VOC index")
    case .noxIndex: .number("NOx index")
    case .moisture: .number("Moisture", "moisture", "%", decimals: 1)
    case .rotation: .number("Rotation", nil, "°", decimals: 1)
    case .distanceMillimetres: .number("Measured distance (mm)", "distance", "mm", decimals: 0)
    case .distanceMetres: .number("Measured distance", "distance", "m", decimals: 1)
    case .duration: .number("Duration", "duration", "s", decimals: 1)
    case .speed: .number("Speed", "speed", "m/s", decimals: 2)
    case .uvIndex: .number("UV index", decimals: 1)
    case .volumeLitres: .total("Volume", "volume", "L", decimals: 1)
    case .volumeMillilitres: .total("Volume (mL)", "volume", "mL", decimals: 0)
    case .volumeFlowRate: .number("Flow rate", "volume_flow_rate", "m³/h", decimals: 3)
    case .volumeStorage: .number("Stored volume", "volume_storage", "L", decimals: 1)
    case .gasVolume: .total("Gas", "gas", "m³", decimals: 3)
    case .waterVolume: .total("Water", "water", "L", decimals: 1)
    case .timestamp: QuantityDisplay(title: "Timestamp", kind: .time)
    case .acceleration: .number("Acceleration", nil, "m/s²", decimals: 2).technical
    case .accelerationX: .number("Acceleration X", nil, "g", decimals: 2).technical
    case .accelerationY: .number("Acceleration Y", nil, "g", decimals: 2).technical
    case .accelerationZ: .number("Acceleration Z", nil, "g", decimals: 2).technical
    case .gyroscope: .number("Rotation rate", nil, "°/s", decimals: 1).technical
    case .conductivity: .number("Conductivity", "conductivity", "\u{B5}S/cm", decimals: 0)
    case .direction: .number("Direction", nil, "°", decimals: 0)
    case .precipitation: .number("Precipitation", "precipitation", "mm", decimals: 1)
    case .rotationalSpeed: .number("Rotational speed", nil, "rpm", decimals: 0)
    case .lightLevel: .number("Light level")
    case .generic: .flag("State")
    case .powerOn: .flag("Power", "power")
    case .opening: .flag("Opening", "opening")
    case .batteryLow: .flag("Battery low", "battery").diagnostic.important
    case .batteryCharging: .flag("Charging", "battery_charging").diagnostic
    case .carbonMonoxide: .flag("Carbon monoxide", "carbon_monoxide")
    case .cold: .flag("Cold", "cold")
    case .connectivity: .flag("Connectivity", "connectivity").diagnostic
    case .door: .flag("Door", "door")
    case .garageDoor: .flag("Garage door", "garage_door")
    case .gasDetected: .flag("Gas detected", "gas")
    case .heat: .flag("Heat", "heat")
    case .light: .flag("Light", "light")
    case .lock: .flag("Lock", "lock")
    case .moistureDetected: .flag("Moisture detected", "moisture")
    case .motion: .flag("Motion", "motion")
    case .moving: .flag("Moving", "moving")
    case .occupancy: .flag("Occupancy", "occupancy")
    case .plug: .flag("Plug", "plug")
    case .presence: .flag("Presence", "presence")
    case .problem: .flag("Problem", "problem")
    case .running: .flag("Running", "running")
    case .safety: .flag("Safety", "safety")
    case .smoke: .flag("Smoke", "smoke")
    case .sound: .flag("Sound", "sound")
    case .tamper: .flag("Tamper", "tamper")
    case .vibration: .flag("Vibration", "vibration")
    case .window: .flag("Window", "window")
    case .button: .event("Button")
    case .command: .event("Command")
    case .dimmer: .event("Dimmer")
    case .soundLevel: .number("Sound level", "sound_pressure", "dBA", decimals: 1)
    case .averageSoundLevel: .number("Average sound level", "sound_pressure", "dBA", decimals: 1)
    case .peakSoundPressure: .number("Peak sound pressure", "sound_pressure", "dB", decimals: 1)
    case .movementCount: .total("Movements").technical
    case .pressCount: .total("Presses").technical
    case .calibrating: .flag("Calibrating").diagnostic
    case .txPower: .number("Transmit power", "signal_strength", "dBm", decimals: 0).diagnostic.technical
    case .measurementSequence: .number("Measurement number").diagnostic.technical
    case .advertisementCount: .total("Advertisements sent").diagnostic.technical
    case .uptime: .number("Uptime", "duration", "s", decimals: 0).diagnostic.technical
    case .channel: .number("Channel").diagnostic.technical
    case .deviceType: .number("Device type").diagnostic.technical
    case .packetID, .text, .raw, .firmwareVersion: nil
    }
  }
}
