import Beacons
import Settings

func sentence(_ fleet: FleetSettings) -> String {
  let nodes = listed(fleet.nodes.map { "\($0.host):\($0.port)\($0.isTLS ? " (TLS)" : "")" })
  let queues = fleet.partitions == 1 ? "one queue" : "\(fleet.partitions) queues"
  let user = fleet.username ?? (fleet.tls.certFile == nil ? "guest" : "whom the certificate names")
  return
    "workers (beaconkeeper fuse) take what gateways heard out of \(queues) of RabbitMQ at \(nodes) as \(user), where gateways publish every \(Measure(.time, fleet.interval.seconds)), and save their state there every \(Measure(.time, fleet.checkpoint.seconds))"
}
