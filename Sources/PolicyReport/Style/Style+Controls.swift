import Pages

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
