/// The style of every page: on wide screens, phones and paper, light and dark. No fonts or pictures.
package enum Style {}

extension Style {
  /// Colours for light and dark, text, tables and cards.
  package static let page = """
    :root {
      --paper: #ffffff; --ink: #1b1f24; --soft: #57606a; --rule: #d0d7de; --panel: #f6f8fa; --link: #0a58ca;
      --ok: #1a7f37; --late: #9a5b00; --bad: #c0271f; --none: #57606a; --curve: #0a58ca;
      --foreground: #1f6feb; --ranging: #2da44e; --background: #e3b341; --suspended: #d0d7de; --terminated: #8c959f;
      --on-strong: #ffffff; --on-weak: #1b1f24;
      --task: #e5deff; --task-rim: #6e40c9; --place: #cdf3ea; --place-rim: #0f766e; --sound: #fde2f3; --sound-rim: #a8307a;
      --lack: #ffe2e0; --lack-rim: #c0271f; --calm: #eaeef2; --calm-rim: #57606a;
    }
    @media (prefers-color-scheme: dark) {
      :root {
        --paper: #0d1117; --ink: #e6edf3; --soft: #9da7b1; --rule: #3a424b; --panel: #161b22; --link: #79b8ff;
        --ok: #56d364; --late: #e3b341; --bad: #ff7b72; --none: #9da7b1; --curve: #79b8ff;
        --foreground: #388bfd; --ranging: #3fb950; --background: #d29922; --suspended: #30363d; --terminated: #6e7681;
        --on-strong: #0d1117; --on-weak: #e6edf3;
        --task: #30265a; --task-rim: #b39dff; --place: #0f3a36; --place-rim: #2dd4bf; --sound: #451b36; --sound-rim: #f778ba;
        --lack: #4a1d1b; --lack-rim: #ff7b72; --calm: #21262d; --calm-rim: #9da7b1;
      }
    }
    * { box-sizing: border-box; }
    html { font: 16px/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif; }
    body { margin: 0; background: var(--paper); color: var(--ink); }
    main, footer { max-width: 75rem; margin: 0 auto; padding: 1rem 1.25rem; }
    footer { color: var(--soft); font-size: .875rem; border-top: 1px solid var(--rule); }
    h1 { font-size: 1.75rem; line-height: 1.2; margin: .5rem 0; }
    h2 { font-size: 1.3rem; margin: 2.25rem 0 .5rem; }
    h3 { font-size: 1.05rem; margin: 0 0 .25rem; }
    p { margin: .4rem 0; max-width: 48rem; }
    a { color: var(--link); }
    code { font: .85em ui-monospace, "DejaVu Sans Mono", monospace; }
    /* Only names that the user chose may break within a word, where the line is too short for them. */
    .scenario dd, .name, .given, tbody th { overflow-wrap: break-word; }
    .skip { position: absolute; left: -99rem; }
    .skip:focus { left: 1rem; top: .5rem; background: var(--paper); padding: .5rem; }
    .note, .what, caption { color: var(--soft); font-size: .875rem; }
    .scenario { display: flex; flex-wrap: wrap; gap: .35rem .75rem; margin: 1rem 0; }
    .scenario div { background: var(--panel); border: 1px solid var(--rule); border-radius: .4rem; padding: .15rem .6rem;
      max-width: 100%; }
    .scenario dt { display: inline; color: var(--soft); }
    .scenario dt::after { content: " "; }
    .scenario dd { display: inline; margin: 0; font-weight: 600; }
    .scroll { overflow-x: auto; border: 1px solid var(--rule); border-radius: .5rem; }
    .scroll:focus-visible { outline: 2px solid var(--link); }
    table { border-collapse: collapse; width: 100%; font-size: .875rem; }
    caption { text-align: left; padding: .3rem .5rem; }
    th, td { text-align: left; padding: .3rem .5rem; border-top: 1px solid var(--rule); vertical-align: top; }
    thead th { color: var(--soft); font-weight: 600; vertical-align: bottom; }
    tbody th { font-weight: 500; }
    table.wide { min-width: 60rem; }
    table.wide tbody th { min-width: 13rem; }
    td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
    .together { white-space: nowrap; }
    .tag { white-space: nowrap; font-weight: 600; }
    .ok { color: var(--ok); } .late, .part { color: var(--late); } .bad { color: var(--bad); } .none { color: var(--none); }
    h3 .tag { font-size: .9rem; border: 1px solid currentColor; border-radius: 1rem; padding: 0 .5rem; }
    .meter { display: block; width: 5rem; height: .35rem; margin-top: .2rem; background: var(--suspended); border-radius: .2rem; }
    .meter span { display: block; height: 100%; background: var(--ranging); border-radius: .2rem; }
    .cards { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 30rem), 1fr)); gap: 1rem; margin-top: 1rem; }
    .rankings { display: grid; gap: 1rem; margin-top: 1rem; } .rankings figure { max-width: 30rem; }
    article { border: 1px solid var(--rule); border-radius: .6rem; padding: .9rem 1rem; min-width: 0; scroll-margin-top: 7rem; }
    article[hidden], .controls[hidden] { display: none; }
    article:target { outline: 3px solid var(--link); }
    figure { margin: .5rem 0; }
    figcaption { font-size: .9rem; }
    details { margin-top: .5rem; font-size: .875rem; }
    summary { cursor: pointer; color: var(--link); }
    .fit { overflow-x: auto; }
    .constants th, .constants td, .states td, .nears th, .nears td { padding: .2rem .4rem; }
    .constants .unsure td:last-child { color: var(--late); font-weight: 600; }
    .constants caption, .nears caption, .states caption { color: var(--ink); font-weight: 600; padding-left: .4rem; }
    .key { list-style: none; padding: 0; margin: .75rem 0; display: flex; flex-wrap: wrap; gap: .3rem 1.1rem; font-size: .875rem; }
    .nears .why td { border-top: 0; padding-top: 0; color: var(--soft); }
    .nears details { margin-top: .15rem; } .nears ol { margin: .2rem 0; padding-left: 1.4rem; }
    .swatch { display: inline-block; width: 1.3rem; height: .8rem; margin-right: .4rem; border: 1px solid var(--soft); }
    .swatch.onair { background: var(--curve); }
    .swatch.foreground { background: var(--foreground); } .swatch.ranging { background: var(--ranging); }
    .swatch.background { background: var(--background); }
    .suspended:is(.swatch, .bar) { background: repeating-linear-gradient(115deg, var(--suspended) 0 4px, var(--soft) 4px 5px); }
    .terminated:is(.swatch, .bar) { background: repeating-linear-gradient(115deg, transparent 0 4px, var(--ink) 4px 5px),
      repeating-linear-gradient(65deg, var(--terminated) 0 4px, var(--ink) 4px 5px); }
    .legend dl { columns: 24rem; column-gap: 2rem; font-size: .875rem; }
    .legend dl div { break-inside: avoid; margin-bottom: .35rem; }
    .legend dt { font-weight: 600; } .legend dd { margin: 0; color: var(--soft); }
    """
}

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
      /* Nothing scrolls sideways: each row is a block, and each of its cells has its title before it. */
      table.stack { min-width: 0; } .stack, .stack caption, .stack tbody { display: block; }
      .stack thead { display: none; }
      .stack tr { display: grid; grid-template-columns: 1fr 1fr; border-top: 1px solid var(--rule); padding: .3rem 0; }
      table.stack tbody th { grid-column: 1 / -1; min-width: 0; } .stack th, .stack td { border-top: 0; padding: .1rem .5rem; min-width: 0; }
      .stack td:empty { display: none; } .stack td.number { white-space: normal; }
      .stack td[data-title]::before { content: attr(data-title) " "; color: var(--soft); }
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
      .skip, .controls, .readout, .unseen, .cursor { display: none; }
      summary { list-style: none; color: var(--ink); font-weight: 600; }
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
