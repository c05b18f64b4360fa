# The options of the add-on's page as Beaconkeeper's configuration; JSON is YAML. $broker is what the supervisor tells of
# MQTT, $listen where the dashboard is, $supervisor who may look at it without its password.
def present: with_entries(select(.value != null and .value != ""));
def metres: if . == null then null else "\(.) m" end;

{
  gateway: {name: .name, state_directory: "/data/state"},
  # Some brokers want no user. An IPv6 address stands in brackets.
  broker: ({
    url: "\(if $broker.ssl then "mqtts" else "mqtt" end)://\($broker.host | if contains(":") then "[\(.)]" else . end):\($broker.port)"
  } + if ($broker.username // "") == "" then {} else
    {username: $broker.username} + if ($broker.password // "") == "" then {} else {password_file: "/data/broker-password"} end
  end),
  http: {listen: $listen, password_file: "/data/http-password", proxies: [$supervisor]},
  radio: {duty: .duty},
  beacons: [.beacons[] | {
    name,
    ibeacon: (if .ibeacon then
      (.ibeacon / "/") as [$uuid, $major, $minor]
      | {uuid: $uuid, major: ($major | tonumber? // null), minor: ($minor | tonumber? // null)} | present
    else null end),
    eddystone: (if .eddystone then
      (.eddystone / "/") as [$namespace, $instance] | {namespace: $namespace, instance: $instance} | present
    else null end),
    altbeacon: (if .altbeacon then {id: .altbeacon} else null end),
    address: .address,
    measured_power: (if .measured_power then "\(.measured_power) dBm" else null end)
  } | present],
  zones: [.zones[] | {
    name,
    beacons: (if (.beacons // []) == [] then null else .beacons end),
    near: (if .near then {distance: (.near | metres)} else null end),
    enter: (if .enter then {distance: (.enter | metres)} else null end),
    exit: (if .exit or .away_after then
      {distance: (.exit | metres), lost: (if .away_after then "\(.away_after) s" else null end)} | present
    else null end)
  } | present]
} | with_entries(select(.value != []))
