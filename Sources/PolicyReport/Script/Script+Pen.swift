extension Script {
  /// Writes SVG, and finds room for labels so that none covers another.
  static let pen = #"""
    const letters = document.createElement('canvas').getContext('2d');
    letters.font = '12px ' + getComputedStyle(document.body).fontFamily;
    const widthOf = (text) => letters.measureText(text).width * 1.04 + 2;
    const at = (value) => String(Math.round(value * 10) / 10);
    const escaped = (text) => text.replace(/[&<>"]/g, (sign) => '&#' + sign.charCodeAt(0) + ';');

    class Pen {
      constructor() { this.text = ''; this.taken = []; }

      line(x1, y1, x2, y2, style) {
        this.text += `<line x1="${at(x1)}" y1="${at(y1)}" x2="${at(x2)}" y2="${at(y2)}" class="${style}"/>`;
      }

      rect(x, y, width, height, style) {
        this.text += `<rect x="${at(x)}" y="${at(y)}" width="${at(Math.max(0.8, width))}" height="${at(height)}" class="${style}"/>`;
      }

      path(d, style) { if (d) this.text += `<path d="${d}" class="${style}"/>`; }

      write(text, x, y, style, anchor) {
        this.text += `<text x="${at(x)}" y="${at(y)}" class="${style}" text-anchor="${anchor || 'start'}">${escaped(text)}</text>`;
      }

      isFree(x, y, width, height) {
        return !this.taken.some((box) => x < box[0] + box[2] && box[0] < x + width && y < box[1] + box[3] && box[1] < y + height);
      }

      take(x, y, width, height) { this.taken.push([x, y, width, height]); }

      // Writes the text at the first place that is free within the bounds; else not at all.
      place(text, places, bounds, style) {
        const width = widthOf(text), height = 15;
        for (const [x, y] of places) {
          if (x < bounds[0] || x + width > bounds[2] || y < bounds[1] || y + height > bounds[3]) continue;
          if (!this.isFree(x, y, width, height)) continue;
          this.take(x, y, width, height);
          this.write(text, x, y + 12, style);
          return;
        }
      }
    }
    """#
}
