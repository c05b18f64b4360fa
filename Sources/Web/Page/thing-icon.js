// What a thing looks like: a drawing for the names of Home Assistant's icons that are common for things, and a ring for the others.
import { attribute, svg } from './dom.js';
import { iconOf } from './store.js';

const shapes = {
  key: 'M8 14a4 4 0 1 1 3.8-5.3H21v3h-2v3h-3v-3h-4.2A4 4 0 0 1 8 14M8 10h.01',
  tag: 'M4 4h8l8 8-8 8-8-8zM8 8h.01',
  bag: 'M6 21V10a6 6 0 0 1 12 0v11zM9 4.5V3h6v1.5M9 14h6v4H9z',
  briefcase: 'M3 8h18v12H3zM9 8V5h6v3M3 13h18',
  bike: 'M5.5 19a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M18.5 19a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7M5.5 15.5 9.5 8h5.5l3.5 7.5M9.5 8l3.5 7.5M8 6h3M15 8l-1-3h3',
  car: 'M3 17v-5l2-6h14l2 6v5zM3 12h18M6.5 17v2M17.5 17v2',
  person: 'M12 11a4 4 0 1 0 0-8 4 4 0 0 0 0 8M4 21a8 8 0 0 1 16 0',
  phone: 'M7 2h10v20H7zM11 18.5h2',
  laptop: 'M5 5h14v11H5zM2 19.5h20',
  watch: 'M12 17a5 5 0 1 0 0-10 5 5 0 0 0 0 10M9 7.5l1-5h4l1 5M9 16.5l1 5h4l1-5',
  paw: 'M12 12c-2.5 0-4.5 2.5-4.5 5s2 2.5 4.5 2 4.5 .5 4.5-2-2-5-4.5-5M5.5 11.5h.01M9.5 7h.01M14.5 7h.01M18.5 11.5h.01',
  bed: 'M3 19V6M3 15.5h18M21 19v-5a4 4 0 0 0-4-4H9v5.5M6 12h.01',
  wheelchair: 'M10 4h.01M10 7.5V14h6l3 5.5M10 10.5h5M14.5 18A5 5 0 1 1 7.5 12',
  wallet: 'M3 8h17v12H3zM3 8l12-4v4M16 14h.01',
  medical: 'M9 4h6v5h5v6h-5v5H9v-5H4V9h5z',
  cart: 'M2.5 4h3l3 11h9.5l3-8H6.5M10 19.5h.01M17 19.5h.01',
  camera: 'M3 7h4l2-3h6l2 3h4v13H3zM12 17a4 4 0 1 0 0-8 4 4 0 0 0 0 8',
  headphones: 'M4 20v-7a8 8 0 0 1 16 0v7h-4v-6h4M4 14h4v6H4',
  umbrella: 'M12 2.5V4M3 13a9 9 0 0 1 18 0zM12 13v6a2.3 2.3 0 0 1-4.5 0',
  box: 'M4 8l8-4.5L20 8v9l-8 4.5L4 17zM4 8l8 4.5L20 8M12 12.5v9',
};
/** Other words in the names of icons. */
const alike = {
  account: 'person', human: 'person', face: 'person', baby: 'person', dog: 'paw', cat: 'paw', cow: 'paw', horse: 'paw', backpack: 'bag', purse: 'bag', suitcase: 'briefcase',
  bicycle: 'bike', motorbike: 'bike', van: 'car', truck: 'car', bus: 'car', cellphone: 'phone', tablet: 'phone', package: 'box', toolbox: 'briefcase', hospital: 'medical', pump: 'medical',
};
const ring = 'M12 16a4 4 0 1 0 0-8 4 4 0 0 0 0 8';
/** Names to choose from; any other of Home Assistant's can be written. */
export const offered = ['key', 'account', 'bag-personal', 'wallet', 'cellphone', 'laptop', 'watch', 'headphones', 'camera', 'bike', 'car', 'dog', 'cat', 'wheelchair', 'bed', 'medical-bag', 'briefcase', 'cart', 'umbrella', 'package', 'tag'].map((name) => `mdi:${name}`);

export function shapeOf(name) {
  const found = name.replace(/^mdi:/, '').split('-').map((word) => alike[word] ?? word).find((word) => Object.hasOwn(shapes, word));
  return found ? shapes[found] : ring;
}

/** Before the name of a thing; nothing if it has no icon. */
export function thingIcon() {
  const shape = svg('path'), node = svg('svg', { viewBox: '0 0 24 24', class: 'icon thing-icon', 'aria-hidden': 'true' }, shape);
  node.style.display = 'none';
  return {
    node,
    update(beacon, name = iconOf(beacon)) {
      const display = name ? '' : 'none';
      if (node.style.display !== display) node.style.display = display;
      if (name) attribute(shape, 'd', shapeOf(name));
    },
  };
}
