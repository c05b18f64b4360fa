import Proximity

/// The style of the page, with a colour for each room.
struct RoomStyle {
  let rooms: Int

  /// The class of a room; nil: no room.
  static func name(_ room: RoomIndex?) -> String { room.map { "room-\($0.rawValue)" } ?? "nowhere" }

  var sheet: String {
    // Rooms that are next to each other in the list have very different colours, however many there are.
    let colours = (0..<rooms).map { ".room-\($0) { --hue: \((212 + $0 * 137) % 360); }" }
    return [Style.page, own, colours.joined(separator: "\n"), Style.screen, narrow].joined(separator: "\n")
  }

  private let own = """
    :root { --deep: 62%; --light: 44%; } .nowhere { --deep: 0%; --hue: 0; }
    @media (prefers-color-scheme: dark) { :root { --light: 62%; } }
    .figures { display: flex; flex-wrap: wrap; gap: .6rem; margin: .75rem 0 1rem; }
    .figures div { border: 1px solid var(--rule); border-radius: .5rem; padding: .4rem .8rem; min-width: 8rem; max-width: 15rem; }
    .figures dt { color: var(--soft); font-size: .875rem; } .figures dd { margin: 0; font-size: 1.35rem; font-weight: 600; }
    .figures dd.what { font-size: .8125rem; font-weight: 400; }
    .swatch { background: hsl(var(--hue) var(--deep) var(--light)); border-color: transparent; }
    .plan { display: block; width: 100%; height: auto; max-height: 46rem; max-width: 46rem; }
    .plan text { font-size: 15px; fill: var(--ink); paint-order: stroke; stroke: var(--paper); stroke-width: 4px; }
    .plan .outline { fill: hsl(var(--hue) var(--deep) var(--light) / .13); stroke: var(--ink); stroke-width: 2.2; stroke-linejoin: round; }
    .plan .roomname { font-weight: 600; font-size: 17px; } .plan .receivername { fill: var(--soft); font-size: 13px; }
    .plan .receiver { fill: var(--paper); stroke: var(--ink); stroke-width: 2; }
    .plan .gap { stroke: var(--paper); stroke-width: 5; } .plan .leaf { stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 2 3; }
    .plan .track { fill: none; stroke: hsl(var(--hue) var(--deep) var(--light)); stroke-width: 1.8; stroke-linejoin: round; opacity: .85; }
    .plan .truth { fill: none; stroke: var(--ink); stroke-width: 1.4; stroke-dasharray: 1 3.5; stroke-linecap: round; }
    .plan .first, .plan .last { stroke: var(--ink); stroke-width: 2; fill: var(--paper); } .plan .last { fill: var(--ink); }
    .plan .measure { stroke: var(--soft); stroke-width: 2; } .plan .unit { fill: var(--soft); font-size: 13px; }
    .lane { display: grid; grid-template-columns: 9rem 1fr; gap: 0 .6rem; align-items: center; break-inside: avoid; }
    .lane + .lane { border-top: 1px solid var(--rule); }
    .lanename { font-size: .875rem; overflow-wrap: anywhere; line-height: 1.25; }
    .lanename small { color: var(--soft); font-variant-numeric: tabular-nums; white-space: nowrap; }
    .strip { display: block; width: 100%; height: 1.7rem; overflow: visible; }
    .strip.level { height: 2.6rem; }
    .told { fill: hsl(var(--hue) var(--deep) var(--light)); } .true { fill: var(--ink); } .lack { fill: var(--rule); }
    .curve { fill: none; stroke: var(--curve); stroke-width: 1.3; vector-effect: non-scaling-stroke; stroke-linejoin: round; }
    .upright { stroke: var(--rule); stroke-width: 1; vector-effect: non-scaling-stroke; }
    .cut { fill: var(--panel); } .cutedge { stroke: var(--soft); stroke-width: 1; stroke-dasharray: 2 2; vector-effect: non-scaling-stroke; }
    .ticks { position: relative; height: 1.5rem; font-size: .78rem; color: var(--soft); font-variant-numeric: tabular-nums; }
    .ticks span { position: absolute; transform: translateX(-50%); white-space: nowrap; }
    .ticks span.atstart { transform: none; } .ticks span.atend { transform: translateX(-100%); }
    .bar { display: inline-block; width: 1.3rem; height: .35rem; margin-right: .4rem; background: var(--ink); vertical-align: .15rem; }
    .heat td { font-variant-numeric: tabular-nums; text-align: right; white-space: nowrap; min-width: 4rem;
      background: hsl(var(--warm) 75% 50% / calc(var(--share) * .6)); }
    .heat thead th { text-align: right; overflow-wrap: break-word; } .heat thead th:first-child { text-align: left; }
    .heat td { --warm: 8; } .heat td.hit { --warm: 140; font-weight: 600; }
    """

  private let narrow = """
    @media (max-width: 40rem) {
      .lane { grid-template-columns: 1fr; padding: .15rem 0; } .lanename small { margin-left: .4rem; }
      .lanename br { display: none; }
      .ticks .fine { display: none; }
      .plan text { font-size: 21px; } .plan .roomname { font-size: 24px; } .plan .receivername, .plan .unit { font-size: 19px; }
      .figures div { min-width: 0; flex: 1 1 8rem; }
    }
    @media print { :root { --light: 44%; } .plan { max-height: 16cm; } }
    """
}
