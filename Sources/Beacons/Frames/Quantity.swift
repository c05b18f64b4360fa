/// The quantity that a reading measures. Every object of BTHome and every field of a RuuviTag has exactly one.
public enum Quantity: UInt8, Hashable, Sendable, CaseIterable {
  case temperature, humidity, pressure, batteryLevel, batteryVoltage, illuminance, massKilograms
  case massPounds, dewPoint, count, energy, power, voltage, current, pm1, pm25, pm4, pm10, co2, tvoc
  case vocIndex, noxIndex, moisture, rotation, distanceMillimetres, distanceMetres, duration, speed
  case uvIndex, volumeLitres, volumeMillilitres, volumeFlowRate, volumeStorage, gasVolume, waterVolume
  /// Seconds since 1970-01-01T00:00:00Z, from the sender's clock.
  case timestamp
  case acceleration, accelerationX, accelerationY, accelerationZ, gyroscope, conductivity, direction
  case precipitation, channel, rotationalSpeed, lightLevel, text, raw, generic, powerOn, opening
  case batteryLow, batteryCharging, carbonMonoxide, cold, connectivity, door, garageDoor, gasDetected
  case heat, light
  /// True: unlocked, as in BTHome and Home Assistant.
  case lock
  case moistureDetected, motion, moving, occupancy, plug, presence, problem, running, safety, smoke
  case sound, tamper, vibration, window, button, command, dimmer, packetID, deviceType, firmwareVersion
  case soundLevel, averageSoundLevel, peakSoundPressure
  case txPower, movementCount
  /// How often a button was pressed: a sender's counter of a few bits.
  case pressCount
  /// Counts measurements, not advertisements.
  case measurementSequence
  case calibrating
  /// Advertisements sent since the beacon was switched on.
  case advertisementCount
  case uptime
  case formaldehyde
  case heartRate, specificGravity
  /// How far a curtain or a blind is closed.
  case closed

  private static let byName = Dictionary(uniqueKeysWithValues: allCases.map { ($0.name, $0) })

  /// nil: unknown to this version.
  package init?(named name: String) {
    guard let quantity = Self.byName[name] else { return nil }
    self = quantity
  }

  /// The values that a sensor of this quantity can measure; nil: any. A thermometer for the fire has another end; see
  /// `SensorFormat.hottest`.
  var plausible: ClosedRange<Double>? {
    switch self {
    case .temperature: -60...150
    case .dewPoint: -100...100
    case .humidity, .moisture, .batteryLevel, .closed: 0...100
    case .batteryVoltage: 0...60
    // A tyre's, in hPa.
    case .pressure: 0...20_000
    case .illuminance: 0...200_000
    case .co2: 0...40_000
    case .pm1, .pm25, .pm4, .pm10: 0...5_000
    case .tvoc: 0...60_000
    case .vocIndex, .noxIndex: 0...500
    case .formaldehyde: 0...100
    case .conductivity: 0...20_000
    case .soundLevel, .averageSoundLevel, .peakSoundPressure: 0...200
    case .distanceMillimetres: 0...30_000
    // A water level may be below the ground.
    case .distanceMetres: -1_000...1_000
    case .speed: 0...150
    case .duration: 0...86_400
    // Thirty years.
    case .uptime: 0...1_000_000_000
    case .power: -1_000_000...1_000_000
    case .energy: 0...10_000_000
    case .voltage, .current: -1_000...1_000
    case .waterVolume: 0...100_000
    case .specificGravity: 0.9...1.3
    case .heartRate: 20...250
    case .massKilograms, .massPounds: 0...500
    case .accelerationX, .accelerationY, .accelerationZ: -200...200
    default: nil
    }
  }

  /// Its name in JSON, unit included.
  public var name: String {
    switch self {
    case .temperature: "temperature_c"
    case .humidity: "humidity_pct"
    case .pressure: "pressure_hpa"
    case .batteryLevel: "battery_pct"
    case .batteryVoltage: "battery_v"
    case .illuminance: "illuminance_lx"
    case .massKilograms: "mass_kg"
    case .massPounds: "mass_lb"
    case .dewPoint: "dew_point_c"
    case .count: "count"
    case .energy: "energy_kwh"
    case .power: "power_w"
    case .voltage: "voltage_v"
    case .current: "current_a"
    case .pm1: "pm1_ug_m3"
    case .pm25: "pm2_5_ug_m3"
    case .pm4: "pm4_ug_m3"
    case .pm10: "pm10_ug_m3"
    case .co2: "co2_ppm"
    case .tvoc: "tvoc_ug_m3"
    case .vocIndex: "voc_index"
    case .noxIndex: "nox_index"
    case .moisture: "moisture_pct"
    case .rotation: "rotation_deg"
    case .distanceMillimetres: "distance_mm"
    case .distanceMetres: "distance_m"
    case .duration: "duration_s"
    case .speed: "speed_m_s"
    case .uvIndex: "uv_index"
    case .volumeLitres: "volume_l"
    case .volumeMillilitres: "volume_ml"
    case .volumeFlowRate: "volume_flow_rate_m3_h"
    case .volumeStorage: "volume_storage_l"
    case .gasVolume: "gas_m3"
    case .waterVolume: "water_l"
    case .timestamp: "timestamp_s"
    case .acceleration: "acceleration_m_s2"
    case .accelerationX: "acceleration_x_g"
    case .accelerationY: "acceleration_y_g"
    case .accelerationZ: "acceleration_z_g"
    case .gyroscope: "gyroscope_deg_s"
    case .conductivity: "conductivity_us_cm"
    case .direction: "direction_deg"
    case .precipitation: "precipitation_mm"
    case .channel: "channel"
    case .rotationalSpeed: "rotational_speed_rpm"
    case .lightLevel: "light_level"
    case .text: "text"
    case .raw: "raw"
    case .generic: "generic"
    case .powerOn: "power_on"
    case .opening: "opening"
    case .batteryLow: "battery_low"
    case .batteryCharging: "battery_charging"
    case .carbonMonoxide: "carbon_monoxide"
    case .cold: "cold"
    case .connectivity: "connectivity"
    case .door: "door"
    case .garageDoor: "garage_door"
    case .gasDetected: "gas_detected"
    case .heat: "heat"
    case .light: "light"
    case .lock: "lock"
    case .moistureDetected: "moisture_detected"
    case .motion: "motion"
    case .moving: "moving"
    case .occupancy: "occupancy"
    case .plug: "plug"
    case .presence: "presence"
    case .problem: "problem"
    case .running: "running"
    case .safety: "safety"
    case .smoke: "smoke"
    case .sound: "sound"
    case .tamper: "tamper"
    case .vibration: "vibration"
    case .window: "window"
    case .button: "button"
    case .command: "command"
    case .dimmer: "dimmer"
    case .packetID: "packet_id"
    case .deviceType: "device_type_id"
    case .firmwareVersion: "firmware_version"
    case .soundLevel: "sound_inst_dba"
    case .averageSoundLevel: "sound_avg_dba"
    case .peakSoundPressure: "sound_peak_spl_db"
    case .txPower: "tx_power_dbm"
    case .movementCount: "movement_count"
    case .pressCount: "press_count"
    case .measurementSequence: "measurement_sequence"
    case .calibrating: "calibrating"
    case .advertisementCount: "advertisement_count"
    case .uptime: "uptime_s"
    case .formaldehyde: "formaldehyde_mg_m3"
    case .heartRate: "heart_rate_bpm"
    case .specificGravity: "specific_gravity"
    case .closed: "closed_pct"
    }
  }
}
