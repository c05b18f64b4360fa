extension Style {
  /// Small screens, and paper.
  package static let screen = """
    @media (max-width: 40rem) {
      main, footer { padding: .75rem; }
      h1 { font-size: 1.4rem; }
      article { padding: .7rem .6rem; }
      article table { font-size: .8rem; } article th, article td { padding: .2rem .25rem; }
      article thead th { white-space: normal; }
      /* Only the zoom stays in sight: the screen is small. */
      .controls { display: contents; }
      .zoom { position: sticky; top: 0; z-index: 2; background: var(--paper); border-bottom: 1px solid var(--rule);
        padding: .4rem 0; gap: .4rem; }
      article { scroll-margin-top: 4.5rem; }
      .filters { display: grid; grid-template-columns: repeat(3, minmax(0, 1fr)); width: 100%; gap: .3rem .4rem; }
      .controls select { min-width: 0; width: 100%; padding: 0 .2rem; }
      .filters .count { grid-column: 1 / -1; } .filters label span { font-size: .75rem; }
      .count { font-size: .8rem; min-width: 0; } .filters .count { padding: 0; }
      table.wide tbody th { position: sticky; left: 0; background: var(--paper); min-width: 9rem; max-width: 9.5rem; }
    }
    @media print {
      :root {
        --paper: #ffffff; --ink: #000000; --soft: #444444; --rule: #bbbbbb; --panel: #ffffff; --link: #000000;
        --ok: #1a7f37; --late: #8a5000; --bad: #b3201a; --none: #444444; --curve: #0a58ca;
        --foreground: #1f6feb; --ranging: #2da44e; --background: #e3b341; --suspended: #e4e8ec; --terminated: #a8b0b8;
        --on-strong: #ffffff; --on-weak: #000000;
        --task: #e5deff; --task-rim: #6e40c9; --place: #cdf3ea; --place-rim: #0f766e; --sound: #fde2f3; --sound-rim: #a8307a;
        --lack: #ffe2e0; --lack-rim: #c0271f; --calm: #eaeef2; --calm-rim: #57606a;
      }
      @page { margin: 14mm; }
      html { font-size: 10.5px; }
      * { print-color-adjust: exact; -webkit-print-color-adjust: exact; }
      main, footer { max-width: none; padding: 0; }
      a { text-decoration: none; }
      .skip, .controls, .live, .readout, .unseen { display: none; }
      summary { list-style: none; color: var(--ink); font-weight: 600; }
      .scripted .still { display: block; }
      /* Paper cannot be clicked on. */
      details::details-content { content-visibility: visible; display: block; height: auto; }
      .scroll, .fit { overflow: visible; border: 0; }
      table.wide { min-width: 0; font-size: 8.5px; } table.wide tbody th { white-space: normal; }
      thead { display: table-header-group; }
      tr, article, figure, .legend dl div { break-inside: avoid; }
      h2, h3 { break-after: avoid; }
      .cards { grid-template-columns: 1fr 1fr; gap: 4mm; }
    }
    """
}
