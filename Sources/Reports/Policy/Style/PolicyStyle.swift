extension Style {
  /// The style sheet of the pages on phones.
  static let sheet = [page, chart, controls, screen].joined(separator: "\n")
}

extension Style {
  /// Drawings: strips that stretch, with words on them and beside them.
  static let chart = """
    :root { --from: 0; --share: 1; --at: -1; }
    .unseen { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); white-space: nowrap; }
    .timeline { position: relative; overflow-x: clip; --gutter: 2.4rem; font-size: 12px; line-height: 1.25; max-width: 46rem; }
    .rotation { --gutter: 4.2rem; }
    .row { position: relative; margin: 0 .5rem 0 var(--gutter); }
    .strip { position: relative; height: 100%; clip-path: inset(-1rem -4px); }
    .in { position: relative; height: 100%; width: calc(100% / var(--share)); left: calc(-100% * var(--from) / var(--share)); }
    .in svg { position: absolute; inset: 0; width: 100%; height: 100%; overflow: visible; }
    .in path { vector-effect: non-scaling-stroke; fill: none; stroke-width: 1; }
    .words { height: 1.3rem; } .plot { height: 118px; border-bottom: 1px solid var(--soft); z-index: 1; }
    .band { height: 21px; margin-top: 8px; } .remaining { height: 30px; border-bottom: 1px solid var(--soft); }
    .timeline > .lane { height: 14px; margin-bottom: 2px; }
    .axis { height: 1.6rem; margin: 0 .5rem 0 var(--gutter); border-top: 1px solid var(--soft); }
    .timeline .unit { color: var(--soft); text-align: center; margin-left: var(--gutter); }
    .row > .unit { position: absolute; right: 100%; bottom: 100%; margin: 0 .4rem 0 0; }
    .side { position: absolute; right: calc(100% + .4rem); transform: translateY(50%); color: var(--soft); white-space: nowrap; }
    .rotation .side { transform: none; bottom: .1rem; } .rotation .lane { border-bottom: 1px solid var(--rule); }
    .lanename { margin: .3rem .5rem 0 var(--gutter); border-top: 1px solid var(--rule); color: var(--soft); position: relative; z-index: 1;
      text-shadow: 0 0 3px var(--paper), 0 0 3px var(--paper); }
    .ticks { position: absolute; inset: 1.3rem .5rem 1.2rem var(--gutter); color: var(--soft); }
    .ticks span { position: absolute; top: 0; bottom: 0; width: 0; display: flex; flex-direction: column; justify-content: flex-end;
      align-items: center; white-space: nowrap; font-variant-numeric: tabular-nums; }
    .ticks span::before { content: ""; flex: 1; margin-bottom: .2rem; border-left: 1px solid var(--rule); }
    .over { position: absolute; inset: 1rem 0 2.7rem; pointer-events: none; }
    .in > i { position: absolute; top: 0; bottom: 0; left: calc(var(--x) * 100%); }
    .crossing { border-left: 1px dashed var(--ink); } .cut { border-left: 2px dotted var(--soft); }
    .cursor { border-left: 2px solid var(--ink); visibility: hidden; } .live .cursor { visibility: visible; left: calc(var(--at) * 100%); }
    /* A word that does not fit beside the strut goes to a second line, which nobody sees. */
    .bar, .word, .sign, .mark { position: absolute; left: calc(var(--x) * 100%); width: calc(var(--w) * 100%); overflow: hidden; }
    .bar::before, .word::before, .sign::before, .mark::before { content: ""; display: inline-block; width: 0; height: 100%; vertical-align: top; }
    .in b { display: inline-block; white-space: nowrap; vertical-align: top; }
    /* A bar's word stands in the middle of what is seen of it. */
    .bar { top: 0; bottom: 0; min-width: 1px; text-align: center; line-height: 14px; border: 0 solid;
      padding: 0 calc(max(0, var(--x) + var(--w) - var(--from) - var(--share)) * 100%) 0 calc(max(0, var(--from) - var(--x)) * 100%); }
    .bar b { padding: 0 .25rem; font-weight: 400; } .band .bar, .remaining .bar { line-height: 21px; } .band .bar b { font-weight: 600; }
    .word { top: 0; height: 1.2rem; } .word b { padding: 0 .3rem; } .turned { text-align: right; }
    .sign { top: 0; bottom: 0; margin-left: -6px; line-height: 14px; text-align: left; } .sign.void { color: var(--bad); }
    .sign b { width: 12px; text-align: center; background: var(--paper); }
    .mark { height: 16px; margin: 0 0 -8px -8px; min-width: 12px; line-height: 16px; color: var(--paper);
      background: radial-gradient(circle at 8px 8px, var(--shade) 4px, transparent 4.5px); }
    .mark.last { min-width: 16px; } .mark b { width: 16px; border-radius: 8px; text-align: center; background: var(--shade); }
    .mark.ok { --shade: var(--ok); } .mark.late { --shade: var(--late); } .mark.bad { --shade: var(--bad); }
    .lines { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 0 1rem; font-size: 12px; color: var(--soft); }
    .lines li::before { content: ""; display: inline-block; width: 1.5rem; margin-right: .3rem; vertical-align: middle; border-top: 1.5px dashed; }
    .lines .nearline::before { border-color: var(--bad); } .lines .rearmline::before { border-color: var(--late); border-top-style: dotted; }
    .live { scroll-margin-top: 6rem; touch-action: pan-y; cursor: crosshair; border-radius: .3rem; user-select: none; -webkit-user-select: none; }
    .in .grid { stroke: var(--rule); stroke-width: .6; } .in .curve { stroke: var(--curve); stroke-width: 2.4; stroke-linejoin: round; }
    .in .nearline { stroke: var(--bad); stroke-dasharray: 6 3; } .in .rearmline { stroke: var(--late); stroke-dasharray: 2 3; }
    .in .heardline { stroke: var(--soft); stroke-dasharray: 8 3 2 3; } .in .delay { stroke: var(--late); stroke-width: 3; }
    .in .stroke { stroke: var(--ink); } .in .callback { stroke: var(--ranging); } .in .callbackbar { fill: var(--ranging); }
    .in .left { fill: var(--task); stroke: var(--task-rim); }
    .foreground, .bar.ranging { color: var(--on-strong); } .bar.background { color: #1b1f24; }
    .bar.suspended b, .bar.terminated b { color: var(--on-weak); background: var(--suspended); } .bar.terminated b { background: var(--terminated); }
    .bar.foreground { background: var(--foreground); } .bar.ranging { background: var(--ranging); } .bar.background { background: var(--background); }
    .bar.beyond { background: var(--panel); font-style: italic; } .in .bar.beyond b { color: var(--soft); font-weight: 400; }
    .bar.onair { background: var(--curve); }
    .tasks { --shade: var(--task); --rim: var(--task-rim); } .location { --shade: var(--place); --rim: var(--place-rim); }
    .audio { --shade: var(--sound); --rim: var(--sound-rim); } .phone, .unlimited { --shade: var(--calm); --rim: var(--calm-rim); }
    .bluetooth, .permission { --shade: var(--lack); --rim: var(--lack-rim); }
    .lane .bar:not(.onair), .bar.unlimited { background: var(--shade); border: 1px solid var(--rim); border-radius: 2px; line-height: 12px; text-align: left; }
    .bar.unlimited, .bar.leak, .bar.kill { border-style: dashed; } .remaining .bar { line-height: 28px; text-align: center; }
    .lane path { fill: var(--shade); stroke: var(--rim); }
    .bar.handler::after, .bar.kill::after { position: absolute; right: 0; top: 0; color: var(--rim); content: "▸"; }
    .bar.kill::after { color: var(--bad); content: "✕"; }
    .band path.foreground { fill: var(--foreground); } .band path.ranging { fill: var(--ranging); } .band path.background { fill: var(--background); }
    .band path.suspended { fill: var(--suspended); } .band path.terminated { fill: var(--terminated); }
    .chart { display: block; width: 100%; height: auto; max-width: 30rem; } .chart text { font-size: 13.5px; fill: var(--ink); }
    .chart .axis, .chart .unit { fill: var(--soft); } .chart .grid { stroke: var(--rule); stroke-width: .6; }
    .chart .axisline { stroke: var(--soft); stroke-width: 1; }
    .chart .dotname { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; font-weight: 600; }
    .front { fill: none; stroke: var(--curve); stroke-width: 2; }
    .dot { fill: var(--soft); stroke: var(--paper); stroke-width: 1.5; }
    .spread { stroke: var(--soft); stroke-width: 1.5; opacity: .7; } .leader { stroke: var(--soft); stroke-width: .8; }
    .front-dot { fill: var(--curve); }
    """
}

extension Style {
  /// Elements that only the script shows.
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
    @media (prefers-reduced-motion: no-preference) { html { scroll-behavior: smooth; } }
    """
}
