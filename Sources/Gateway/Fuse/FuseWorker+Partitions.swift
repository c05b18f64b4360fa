import Beacons
import Configuration
import Contract
import Core
import DequeModule
import Fleet
import Logging
import Mosquitto

/// Work on partitions whose lease we have.
extension FuseWorker {
  func take(_ event: QueueEvent) throws(RabbitMQError) {
    switch event {
    case .delivery(let delivery) where delivery.channel == rabbit?.leadChannel:
      try rabbit?.consumer.acknowledge(upTo: delivery.number, on: delivery.channel)
      lead.take(at: LiveClock.now, inbox, logger)
    case .delivery(let delivery):
      let partition = Int(delivery.channel) - 1
      guard rabbit?.isOurs(delivery, of: partition) == true, holdings[partition]?.isLeaving == false else {
        return
      }
      if let holding = holdings[partition], holding.canDecide, holding.waiting.isEmpty {
        process(delivery, partition)
      } else {
        holdings[partition]?.waiting.append(delivery)
      }
    case .closed(_, let reason): throw RabbitMQError("RabbitMQ closes a channel: \(reason)")
    case .cancelled(let consumer): throw RabbitMQError("RabbitMQ ends the consumer \(consumer)")
    }
  }

  func takeOver(_ number: Int) throws(RabbitMQError) {
    guard let rabbit, let lease = rabbit.leases[number]?.lease else { return }
    let start = LiveClock.now
    let last = try rabbit.lastCheckpoint(of: number)
    try rabbit.consume(number)
    // The epoch must be later than any that was used before.
    let epoch = UInt64(max(wallNow.nanoseconds / 1_000_000, 1))
    let (partition, seen, refusal) = FleetPartition.resume(
      fresh, number, epoch: epoch, from: last, at: wallNow)
    if let refusal {
      logger.error("partition \(number): begins anew, because \(refusal)")
      anew[number] = (wallNow, refusal)
    }
    var options = Options(broker, gateway: configuration.gatewayName)
    options.clientID = "beaconkeeper-\(configuration.gatewayName)-partition-\(number)"
    options.will = nil
    holdings[number] = FuseHolding(
      partition, lease: lease, seen: seen, FuseOutput(options), at: LiveClock.now)
    holdings[number]?.isUntidy = isYoung(partition)
    openJournal(of: number)
    connectOutput(of: number)
    logger.notice(
      "partition \(number): taken over in \((LiveClock.now - start).nanoseconds / 1_000_000) ms, lease \(lease), \(partition.beacons) beacons"
    )
  }

  /// Processes waiting messages, of each partition in turn; false if there are more.
  func takeWaiting() -> Bool {
    let end = LiveClock.now + Self.turn
    while let number = nextWaiting {
      if LiveClock.now >= end { return false }
      served = number
      if let delivery = holdings[number]?.waiting.popFirst() { process(delivery, number) }
    }
    return true
  }

  private var nextWaiting: Int? {
    let ready = holdings.filter { $0.value.canDecide && !$0.value.waiting.isEmpty }.keys
    return ready.filter { $0 > served }.min() ?? ready.min()
  }

  // MARK: The journal

  private func openJournal(of number: Int) {
    guard let journal, let holding = holdings[number] else { return }
    do throws(SystemError) {
      let partition = holding.partition
      holdings[number]?.journal = try JournalFile(
        journal, partition: partition.number, of: fleet.partitions, epoch: partition.epoch,
        seen: partition.counts.messages, lease: holding.lease)
    } catch {
      logger.error("partition \(number) goes on without a journal: \(error)")
    }
  }

  private func writeJournal(of number: Int) {
    do throws(SystemError) { try holdings[number]?.journal?.write() } catch {
      holdings[number]?.journal = nil
      logger.error("the journal of partition \(number) ends here: \(error)")
    }
  }

  private func process(_ delivery: QueueMessage, _ number: Int) {
    guard let holding = holdings[number] else { return }
    let hash = messageHash(key: delivery.key, delivery.payload)
    holding.unacknowledged.append(hash)
    guard let (seen, new) = holding.seenAgain.take(hash, delivery) else { return }
    if let last = seen.last { holding.processed = last.number }
    for delivery in new { processNew(delivery, number, holding) }
    // At once, not at the end of the turn.
    send(number, holding)
  }

  private func send(_ number: Int, _ holding: FuseHolding) {
    for notice in holding.output.send() { logger.warning("partition \(number): \(notice)") }
  }

  private func processNew(_ delivery: QueueMessage, _ number: Int, _ holding: FuseHolding) {
    var messages: [Message] = []
    let key = believedKey(of: delivery, number)
    let notices = holding.partition.take(key: key, delivery.payload, into: &messages)
    holding.journal?.add(
      .message(.init(number: holding.partition.counts.messages, key: key, payload: delivery.payload)))
    for message in messages { holding.output.add(message) }
    holding.processed = delivery.number
    for notice in notices { logger.warning("partition \(number): \(notice)") }
  }

  /// The key of a delivery. A tick that is not believed gets the key of ticks for workers only, which partitions ignore.
  private func believedKey(of delivery: QueueMessage, _ number: Int) -> String {
    guard delivery.key == names.tick, let tick = Tick(delivery.payload) else { return delivery.key }
    let wallNow = wallNow
    // A client that may write to another exchange can publish with any key, and reach a queue through an existing binding.
    if delivery.exchange == names.time, clock.workers.believe(tick, at: wallNow) { return delivery.key }
    let now = LiveClock.now
    if refusalTold.map({ now - $0 > .seconds(60) }) ?? true {
      refusalTold = now
      logger.error(
        "partition \(number): a tick of worker \(tick.worker.printable) is ignored: it came by the exchange \(delivery.exchange.printable), and differs by \(words(tick.time - wallNow)) from this machine's clock, or from most workers'"
      )
    }
    return names.alive
  }

  /// Does what is due for a partition.
  func tend(_ number: Int, at now: MonotonicTime) throws(RabbitMQError) {
    guard let rabbit, holdings[number] != nil else { return }
    if let time = holdings[number]?.reconnects, time <= now {
      holdings[number]?.reconnects = nil
      try prove(number, for: .connecting, at: now)
    }
    try lookAtProof(of: number, at: now, rabbit)
    if holdings[number] == nil { return }
    if let lead = holdings[number]?.partition.lead(at: wallNow) {
      logger.error(
        "partition \(number): its time is \(words(lead)) ahead of this machine's clock; taking it over again")
      return try giveUp(number)
    }
    writeJournal(of: number)
    if let holding = holdings[number], holding.isProven {
      send(number, holding)
      greet(number, holding)
    }
    try save(number, at: now, rabbit)
    guard let holding = holdings[number], holding.isLeaving, holding.saving == nil,
      holding.processed == holding.acknowledged
    else { return }
    logger.notice("partition \(number): given away")
    try giveUp(number)
  }

  // MARK: Checkpoints

  /// The partition to save next. One after another, because a state needs as much memory as the partition itself.
  private var nextToSave: Int? {
    if holdings.values.contains(where: { $0.saving != nil }) { return nil }
    return holdings.filter { $0.value.processed > $0.value.acknowledged }
      .min { ($0.value.saved, $0.key) < ($1.value.saved, $1.key) }?.key
  }

  private func save(_ number: Int, at now: MonotonicTime, _ rabbit: FuseRabbitMQ) throws(RabbitMQError) {
    let hasTurn = nextToSave == number
    guard let holding = holdings[number] else { return }
    let open = holding.processed - holding.acknowledged
    let isDue =
      hasTurn && now - holding.saved >= fleet.checkpoint || open >= UInt64(FuseRabbitMQ.prefetch / 2)
    if holding.saving == nil, open > 0, isDue || holding.isLeaving {
      let position = holding.partition.counts.messages
      let checkpoint = Checkpoint(
        lease: holding.lease, position: position, worker: name,
        seen: Array(holding.unacknowledged.prefix(Int(open))),
        state: holding.partition.state(expecting: holding.stateOctets))
      guard checkpoint.state.count <= Checkpoint.limit else {
        (holding.saved, holding.isLeaving) = (now, false)
        return logger.error(
          "partition \(number): its state is too long to be saved; a site with so many beacons needs more partitions"
        )
      }
      let payload = checkpoint.payload
      (holding.saved, holding.stateOctets, holding.octets) = (now, checkpoint.state.count, payload.count)
      holding.saving = .init(
        payload: payload, position: position, delivery: holding.processed, message: holding.output.last)
    }
    guard let saving = holding.saving else { return }
    // The broker must first acknowledge everything that was published because of the messages in the state.
    if let payload = saving.payload, holding.output.isAcknowledged(upTo: saving.message) {
      try rabbit.save(payload, position: saving.position, of: number)
      holding.saving?.payload = nil
    }
    if saving.payload == nil, rabbit.leases[number]?.isSafe(upTo: saving.position) == true {
      try rabbit.consumer.acknowledge(upTo: saving.delivery, on: FuseRabbitMQ.channel(number))
      let count = Int(saving.delivery - holding.acknowledged)
      holding.unacknowledged.removeFirst(min(count, holding.unacknowledged.count))
      holding.acknowledged = saving.delivery
      holding.saving = nil
    }
  }

  /// Gives up a partition, and waits for its lease again.
  private func giveUp(_ number: Int) throws(RabbitMQError) {
    holdings[number]?.output.close()
    holdings[number] = nil
    try rabbit?.leave(number)
    rests[number] = LiveClock.now + .seconds(2)
  }

  // MARK: The broker

  private func connectOutput(of number: Int) {
    guard let holding = holdings[number] else { return }
    holding.isProven = false
    holding.reconnects = nil
    do throws(InvalidOptions) {
      try holding.output.connect { [inbox] generation, event in
        inbox.add(.partition(number, generation: generation, event))
      } ended: { [inbox] generation in
        inbox.add(.partitionEnded(number, generation: generation))
      }
    } catch {
      logger.error("\(error)")
      holding.reconnects = LiveClock.now + .seconds(10)
    }
  }

  // MARK: Proofs

  private func prove(_ number: Int, for purpose: FuseHolding.Proof.Purpose, at now: MonotonicTime)
    throws(RabbitMQError)
  {
    guard let mark = try rabbit?.askForProof(of: number) else { return }
    holdings[number]?.proof = .init(purpose: purpose, mark: mark, asked: now)
  }

  private func lookAtProof(of number: Int, at now: MonotonicTime, _ rabbit: FuseRabbitMQ)
    throws(RabbitMQError)
  {
    guard let holding = holdings[number], let proof = holding.proof else { return }
    if rabbit.isProven(proof.mark, of: number) {
      holding.proof = nil
      switch proof.purpose {
      case .connecting: connectOutput(of: number)
      case .speaking: holding.isProven = true
      }
    } else if rabbit.publisher.isBlocked {
      holding.proof?.asked = now
    } else if now - proof.asked > .seconds(10) {
      try lose(number)
    }
  }

  func lose(_ number: Int) throws(RabbitMQError) {
    if holdings[number] != nil { logger.warning("partition \(number): another worker has taken it over") }
    try giveUp(number)
  }

  func take(_ item: FuseInbox.Item) throws(RabbitMQError) {
    switch item {
    case .partition(let number, let generation, let event):
      guard holdings[number]?.output.generation == generation else { return }
      switch event {
      case .connected:
        holdings[number]?.output.connected()
        holdings[number]?.attempts = 0
        // Only now: the last worker to connect disconnects the others, so it must know that it has the lease.
        try prove(number, for: .speaking, at: LiveClock.now)
        // The broker may have restarted, and lost its retained messages.
        holdings[number]?.greets = generation > 1
      case .disconnected(let reason): logger.warning("partition \(number): the broker: \(reason)")
      case .refused(let failure): logger.warning("partition \(number): the broker: \(failure)")
      case .acknowledged(let id): holdings[number]?.output.acknowledged(id)
      case .rejected(let message, let reason):
        logger.warning("the broker refuses \(message.topic): \(reason)")
        holdings[number]?.output.refused(message.id)
      case .message, .subscribed, .subscriptionRefused: break
      }
    case .partitionEnded(let number, let generation):
      guard holdings[number]?.output.generation == generation else { return }
      holdings[number]?.output.disconnected()
      holdings[number]?.isProven = false
      holdings[number]?.proof = nil
      let attempts = (holdings[number]?.attempts ?? 0) + 1
      holdings[number]?.attempts = attempts
      let pause = TimeSpan.milliseconds(Int64.random(in: 100...300) << min(attempts, 5))
      holdings[number]?.reconnects = LiveClock.now + pause
    case .lead(let generation, let event): lead.take(event, generation, logger)
    case .leadEnded(let generation): lead.ended(generation)
    }
  }

  /// Publishes all retained messages to a broker that may have lost them, after the waiting messages.
  private func greet(_ number: Int, _ holding: FuseHolding) {
    guard holding.greets, holding.output.outstanding == 0,
      let time = holding.partition.time, time.nanoseconds > 0
    else { return }
    holding.greets = false
    for message in holding.partition.allStates() { holding.output.add(message) }
    send(number, holding)
  }
}
