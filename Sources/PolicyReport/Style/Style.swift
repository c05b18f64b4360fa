import Pages

extension Style {
  /// Of the pages on phones.
  static let sheet = [page, chart, controls, screen].joined(separator: "\n")
}

extension Style {
  /// Drawings.
  static let chart = """
    .chart { display: block; width: 100%; height: auto; max-width: 30rem; }
    .chart text { font-size: 13.5px; fill: var(--ink); }
    .live .chart { width: auto; height: auto; max-width: 100%; } .live .chart text { font-size: 12px; }
    .live { scroll-margin-top: 6rem; touch-action: pan-y; cursor: crosshair; border-radius: .3rem; user-select: none; -webkit-user-select: none; }
    .scripted .still { display: none; }
    .chart .lanename { fill: var(--soft); paint-order: stroke; stroke: var(--paper); stroke-width: 3px; }
    .chart .event { font-weight: 700; } .chart .event.void { fill: var(--bad); font-weight: 400; }
    .stroke { stroke: var(--ink); stroke-width: 1; }
    .span { stroke-width: 1; rx: 2px; }
    .span.tasks { fill: var(--task); stroke: var(--task-rim); } .span.location { fill: var(--place); stroke: var(--place-rim); }
    .span.audio { fill: var(--sound); stroke: var(--sound-rim); } .span.phone { fill: var(--calm); stroke: var(--calm-rim); }
    .span.bluetooth, .span.permission { fill: var(--lack); stroke: var(--lack-rim); }
    .span.leak, .span.kill { stroke-dasharray: 3 2; }
    .chart .spanlabel { font-size: 11px; }
    .still.chart .spanlabel, .still.chart .sign { font-size: 13px; }
    .handler { fill: var(--task-rim); } .kill { stroke: var(--bad); stroke-width: 2.2; fill: none; }
    .unlimited { fill: var(--calm); stroke: var(--calm-rim); stroke-width: .7; stroke-dasharray: 2 2; }
    .left { fill: var(--task); stroke: var(--task-rim); stroke-width: 1; }
    .beyond { fill: var(--panel); } .chart .beyondname { fill: var(--soft); font-style: italic; }
    .cursor { stroke: var(--ink); stroke-width: 1.4; pointer-events: none; }
    .chart .axis, .chart .unit, .chart .threshold { fill: var(--soft); }
    .chart .threshold, .chart .markname, .chart .dotname { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; }
    .chart .markname, .chart .dotname { font-weight: 600; }
    .grid { stroke: var(--rule); stroke-width: .6; } .axisline { stroke: var(--soft); stroke-width: 1; }
    .nearline { stroke: var(--bad); stroke-width: 1.2; stroke-dasharray: 6 3; }
    .rearmline { stroke: var(--late); stroke-width: 1.2; stroke-dasharray: 2 3; }
    .heardline { stroke: var(--soft); stroke-width: 1.2; stroke-dasharray: 8 3 2 3; }
    .curve { fill: none; stroke: var(--curve); stroke-width: 2.4; stroke-linejoin: round; }
    .crossing { stroke: var(--ink); stroke-width: 1.2; stroke-dasharray: 3 3; }
    .cut { stroke: var(--soft); stroke-width: 1.5; stroke-dasharray: 1 3; }
    .delay { stroke: var(--late); stroke-width: 3; }
    .mark { stroke: var(--paper); stroke-width: 1.5; } .mark.ok { fill: var(--ok); } .mark.late { fill: var(--late); }
    .mark.bad { fill: var(--bad); } .chart .sign { fill: var(--paper); font-weight: 700; font-size: 12px; pointer-events: none; }
    .band.foreground { fill: var(--foreground); } .band.ranging { fill: var(--ranging); }
    .band.background { fill: var(--background); } .band.suspended { fill: var(--suspended); }
    .band.terminated { fill: var(--terminated); }
    .hatch { stroke: var(--soft); stroke-width: .7; opacity: .55; fill: none; }
    .chart .bandlabel { font-weight: 600; }
    .chart .on-foreground, .chart .on-ranging { fill: var(--on-strong); }
    .chart .on-background { fill: #1b1f24; }
    .chart .on-suspended, .chart .on-terminated { fill: var(--on-weak); paint-order: stroke; stroke-width: 4px;
      stroke: var(--suspended); }
    .chart .on-terminated { stroke: var(--terminated); }
    .callback { stroke: var(--ranging); stroke-width: 1; } .callbackbar { fill: var(--ranging); }
    .onair { fill: var(--curve); } .told { fill: var(--ink); }
    .front { fill: none; stroke: var(--curve); stroke-width: 2; }
    .dot { fill: var(--soft); stroke: var(--paper); stroke-width: 1.5; }
    .spread { stroke: var(--soft); stroke-width: 1.5; opacity: .7; } .leader { stroke: var(--soft); stroke-width: .8; }
    .front-dot { fill: var(--curve); }
    """
}

extension Style {
  /// What only the script shows.
  static let controls = """
    .controls { position: sticky; top: 0; z-index: 2; background: var(--paper); border-bottom: 1px solid var(--rule);
      display: flex; flex-wrap: wrap; gap: .5rem 1.5rem; padding: .6rem 0; align-items: end; }
    .filters, .zoom { display: flex; flex-wrap: wrap; gap: .5rem; align-items: end; }
    .filters label span { display: block; font-size: .8rem; color: var(--soft); }
    .controls select, .controls button { font: inherit; font-size: .9rem; color: var(--ink); background: var(--panel);
      border: 1px solid var(--soft); border-radius: .4rem; min-height: 2.4rem; padding: 0 .5rem; }
    .controls select { min-width: 8rem; } .controls button { min-width: 2.4rem; cursor: pointer; }
    .controls button:hover { border-color: var(--link); color: var(--link); }
    .count { font-size: .875rem; color: var(--soft); font-variant-numeric: tabular-nums; align-self: end; padding-bottom: .55rem; min-width: 6.5rem; }
    :focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
    .readout { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: .15rem .8rem; margin: .4rem 0 .6rem;
      padding: .45rem .6rem; background: var(--panel); border-radius: .4rem; font-size: .8125rem; line-height: 1.4; }
    .readout .long { grid-column: 1 / -1; } .readout .long dd { font-weight: 400; }
    .readout dt { display: inline; color: var(--soft); } .readout dt::after { content: " "; }
    .readout dd { display: inline; margin: 0; font-weight: 600; font-variant-numeric: tabular-nums; }
    .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
    @media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
    """
}
