// A picture behind the plan: made small enough to be kept, and kept in this browser only.
import { store } from './store.js';

/** px of its longer side, and octets as text. */
const longest = 1600, most = 1_500_000;
const key = (floor) => `picture ${location.pathname} ${store.overview?.gateway ?? ''} ${floor ?? ''}`;

export function keptPicture(floor) {
  try {
    const found = JSON.parse(localStorage.getItem(key(floor)));
    return found?.data?.startsWith('data:image/') && [found.x, found.y, found.wide, found.ratio].every(Number.isFinite) ? found : null;
  } catch { return null; }
}

/** Whether it is kept. */
export function keepPicture(floor, picture) {
  try {
    if (picture) localStorage.setItem(key(floor), JSON.stringify(picture)); else localStorage.removeItem(key(floor));
    return true;
  } catch { return false; }
}

/** The file as a picture, ten metres wide; throws if it is none. */
export async function readPicture(file, [x, y]) {
  const image = new Image();
  image.src = await new Promise((done, fail) => { const reader = new FileReader(); reader.onload = () => done(reader.result); reader.onerror = fail; reader.readAsDataURL(file); });
  await image.decode();
  const { naturalWidth: wide, naturalHeight: high } = image, ratio = (high || 1) / (wide || 1);
  let data = null, side = longest;
  do {
    const scale = Math.min(1, side / Math.max(wide, high, 1)), canvas = document.createElement('canvas');
    canvas.width = Math.max(1, Math.round(wide * scale));
    canvas.height = Math.max(1, Math.round(high * scale));
    const pen = canvas.getContext('2d');
    pen.fillStyle = '#fff';
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    data = canvas.toDataURL('image/jpeg', 0.8);
    side /= 2;
  } while (data.length > most && side > 100);
  return { data, ratio, wide: 10, x: x - 5, y: y + 5 * ratio };
}
