/// What other projects' test suites call things, and what it is called in our JSON: candidates with the factor
/// from our unit to theirs. A field of a frame may have several, for BTHome's grams and pounds are both "mass".
enum Vocabulary {
  struct Ours {
    var name: String
    var factor: Double
    init(_ name: String, _ factor: Double = 1) {
      self.name = name
      self.factor = factor
    }
  }

  private static let gravity = 9.80665

  static let fields: [String: [Ours]] = [
    "uuid": [Ours("uuid"), Ours("id")],
    "major": [Ours("major"), Ours("id_major")],
    "minor": [Ours("minor"), Ours("id_minor")],
    "power": [Ours("measured_power_dbm"), Ours("power_w")],
    "measured power": [Ours("measured_power_dbm")],
    "tx_power": [Ours("tx_power_dbm"), Ours("measured_power_dbm")],
    "txPower": [Ours("tx_power_dbm"), Ours("measured_power_dbm")],
    "namespace": [Ours("namespace")], "instance": [Ours("instance")], "url": [Ours("url")],
    "eid": [Ours("eid")], "identifier": [Ours("identifier")],
    "rollingProximityIdentifier": [Ours("identifier")],
    "encrypted_metadata": [Ours("encrypted_metadata")], "encrypted_data": [Ours("ciphertext")],
    "deviceIds": [Ours("device_id")], "uri": [],
    "advertising_count": [Ours("advertisement_count")],
    "txCount": [Ours("advertisement_count")],
    // The specification counts tenths of a second; this project prints them unscaled.
    "seconds_since_boot": [Ours("uptime_s", 10)],
    "uptime": [Ours("uptime_s", 1000)],
    "mac": [Ours("mac"), Ours("mac_low"), Ours("address")],
    "address": [Ours("mac")], "mac_bytes": [Ours("mac_low")],
    "rssi": [Ours("rssi")], "data_format": [Ours("data_format")], "tx power": [Ours("tx_power_dbm")],

    "temperature": [Ours("temperature_c")], "temperature_c": [Ours("temperature_c")],
    "humidity": [Ours("humidity_pct")], "humidity_rh": [Ours("humidity_pct")],
    "relativeHumidity": [Ours("humidity_pct")],
    "pressure": [Ours("pressure_hpa"), Ours("pressure_hpa", 100)],
    "pressure_pa": [Ours("pressure_hpa", 100)],
    "battery": [Ours("battery_pct"), Ours("battery_v", 1000)],
    "batteryPercentage": [Ours("battery_pct")], "batteryVoltage": [Ours("battery_v")],
    "None": [Ours("battery_pct")],
    "battery_v": [Ours("battery_v")],
    "voltage": [Ours("voltage_v"), Ours("battery_v"), Ours("battery_v", 1000)],
    "acceleration_x": [Ours("acceleration_x_g", gravity), Ours("acceleration_x_g", 1000)],
    "acceleration_y": [Ours("acceleration_y_g", gravity), Ours("acceleration_y_g", 1000)],
    "acceleration_z": [Ours("acceleration_z_g", gravity), Ours("acceleration_z_g", 1000)],
    "acceleration x": [Ours("acceleration_x_g", 1000)], "acceleration y": [Ours("acceleration_y_g", 1000)],
    "acceleration z": [Ours("acceleration_z_g", 1000)],
    "accelerationx_g": [Ours("acceleration_x_g")], "accelerationy_g": [Ours("acceleration_y_g")],
    "accelerationz_g": [Ours("acceleration_z_g")],
    "acceleration": [Ours("acceleration_m_s2"), Ours("acceleration_m_s2", 1 / gravity), Ours("total_mg")],
    "acceleration_total": [Ours("total_mg", gravity / 1000)],
    "movement": [Ours("movement_count")], "movement_counter": [Ours("movement_count")],
    "movement_count": [Ours("movement_count")],
    "measurement_sequence_number": [Ours("measurement_sequence")],
    "measurement_count": [Ours("measurement_sequence")], "seq_cnt": [Ours("measurement_sequence")],
    "seq_cnt2": [Ours("measurement_sequence")],
    "pm1p0_ppm": [Ours("pm1_ug_m3")], "pm2p5_ppm": [Ours("pm2_5_ug_m3")], "pm4p0_ppm": [Ours("pm4_ug_m3")],
    "pm10p0_ppm": [Ours("pm10_ug_m3")], "pm_2_5": [Ours("pm2_5_ug_m3")],
    "co2": [Ours("co2_ppm")], "carbonDioxideConcentration": [Ours("co2_ppm")],
    "voc": [Ours("voc_index"), Ours("tvoc_ug_m3")], "nox": [Ours("nox_index")],
    "sound_inst_dba": [Ours("sound_inst_dba")], "sound_avg_dba": [Ours("sound_avg_dba")],
    "sound_peak_spl_db": [Ours("sound_peak_spl_db")],
    "luminosity": [Ours("illuminance_lx")], "calibration_in_progress": [Ours("calibrating")],

    "packet_id": [Ours("packet_id")], "txCycle": [Ours("packet_id")], "packet": [Ours("packet_id")],
    "illuminance": [Ours("illuminance_lx")], "mass": [Ours("mass_kg"), Ours("mass_lb")],
    "weight": [Ours("mass_kg"), Ours("mass_lb")],
    "dew_point": [Ours("dew_point_c")], "dewpoint": [Ours("dew_point_c")], "count": [Ours("count")],
    "energy": [Ours("energy_kwh")], "pm25": [Ours("pm2_5_ug_m3")], "pm2.5": [Ours("pm2_5_ug_m3")],
    "pm10": [Ours("pm10_ug_m3")], "tvoc": [Ours("tvoc_ug_m3")], "moisture": [Ours("moisture_pct")],
    "rotation": [Ours("rotation_deg")], "angleOfRotation": [Ours("rotation_deg")],
    "distance": [Ours("distance_m"), Ours("distance_mm"), Ours("distance_mm", 0.001)],
    "distance mm": [Ours("distance_mm")],
    "duration": [Ours("duration_s"), Ours("duration_s", 1000)],
    "current": [Ours("current_a")], "amperage": [Ours("current_a")], "speed": [Ours("speed_m_s")],
    "uv_index": [Ours("uv_index")], "uv index": [Ours("uv_index")],
    "volume": [Ours("volume_l"), Ours("volume_ml")], "volume mL": [Ours("volume_ml")],
    "volume_flow_rate": [Ours("volume_flow_rate_m3_h")],
    "volume flow rate": [Ours("volume_flow_rate_m3_h")],
    "gas": [Ours("gas_m3")], "water": [Ours("water_l")], "timestamp": [Ours("timestamp_s")],
    "gyroscope": [Ours("gyroscope_deg_s")],
    "angularVelocity": [Ours("gyroscope_deg_s"), Ours("rotational_speed_rpm", 6)],
    "text": [Ours("text")], "raw": [Ours("raw")],
    "volume_storage": [Ours("volume_storage_l")], "conductivity": [Ours("conductivity_us_cm")],
    "direction": [Ours("direction_deg")], "heading": [Ours("direction_deg")],
    "precipitation": [Ours("precipitation_mm")], "channel": [Ours("channel")],
    "rotational_speed": [Ours("rotational_speed_rpm")], "light_level": [Ours("light_level")],
    "temperatures": [Ours("temperature_c")],
    "deviceType": [Ours("device_type_id")], "firmwareVersion": [Ours("firmware_version")],
    "dimmer": [Ours("dimmer")], "steps": [Ours("dimmer_steps")], "button": [Ours("button")],

    "binary": [Ours("generic")], "binary_generic": [Ours("generic")],
    "binary_power": [Ours("power_on")], "switch": [Ours("power_on")],
    "opening": [Ours("opening")], "binary_opening": [Ours("opening")], "binary_window": [Ours("window")],
    "binary_motion": [Ours("motion")], "motion": [Ours("motion")], "light": [Ours("light")],
    "battery low": [Ours("battery_low")], "battery charging": [Ours("battery_charging")],
    "carbon monoxide": [Ours("carbon_monoxide")], "cold": [Ours("cold")],
    "connectivity": [Ours("connectivity")], "door": [Ours("door")], "garage door": [Ours("garage_door")],
    "gas detected": [Ours("gas_detected")], "heat": [Ours("heat")], "lock": [Ours("lock")],
    "moisture detected": [Ours("moisture_detected")], "moving": [Ours("moving")],
    "occupancy": [Ours("occupancy")], "plug": [Ours("plug")], "presence": [Ours("presence")],
    "problem": [Ours("problem")], "running": [Ours("running")], "safety": [Ours("safety")],
    "smoke": [Ours("smoke")], "sound": [Ours("sound")], "tamper": [Ours("tamper")],
    "vibration": [Ours("vibration")], "window": [Ours("window")],

    "isContactDetected": [
      Ours("opening", -1), Ours("door", -1), Ours("garage_door", -1), Ours("window", -1),
    ],
    "isCarbonMonoxideDetected": [Ours("carbon_monoxide")], "isGasDetected": [Ours("gas_detected")],
    "isLightDetected": [Ours("light")], "isLiquidDetected": [Ours("moisture_detected")],
    "isMotionDetected": [Ours("motion"), Ours("moving"), Ours("vibration")],
    "isOccupancyDetected": [Ours("occupancy"), Ours("presence")], "isHealthy": [Ours("problem", -1)],
    "isSmokeDetected": [Ours("smoke")], "isTamperDetected": [Ours("tamper")],
    "isButtonPressed": [Ours("is_pressed")],
  ]

  /// Stated by a test suite, but said by no byte of the frame: names, categories, what is computed from
  /// other things.
  static let notInTheFrame: Set<String> = [
    "title", "sw_version", "firmware", "type", "frame", "properties", "uri", "manufacturer", "vendor",
    "transient", "flags",
  ]
}
