/** The demo's pictures, drawn as SVG: wheels whose teeth really mesh. */

type Point = { x: number; y: number };
type Wheel = Point & { teeth: number; angle: number; colour: string; spokes: number };

/** Pitch radius per tooth, so that any two wheels fit each other. */
const module_px = 5.2;
const radiusOf = (teeth: number) => (teeth * module_px) / 2;

const at = ({ x, y }: Point, radius: number, angle: number) =>
  `${(x + radius * Math.cos(angle)).toFixed(1)},${(y + radius * Math.sin(angle)).toFixed(1)}`;

/** The wheel that meshes with `wheel` where `direction` (radians) points. */
function meshed(wheel: Wheel, direction: number, next: Pick<Wheel, 'teeth' | 'colour' | 'spokes'>) {
  const distance = radiusOf(wheel.teeth) + radiusOf(next.teeth);
  // A gap must meet a tooth: the phase of the one at the point of contact is the other's, turned round.
  const phase = ((direction - wheel.angle) * wheel.teeth) / next.teeth;
  return {
    ...next,
    x: wheel.x + distance * Math.cos(direction),
    y: wheel.y + distance * Math.sin(direction),
    angle: direction + Math.PI + phase + Math.PI / next.teeth,
  };
}

function drawWheel(wheel: Wheel): string {
  const { teeth, angle, colour, spokes } = wheel;
  const pitch = radiusOf(teeth);
  const step = (2 * Math.PI) / teeth;
  const tooth = (index: number) => {
    const middle = angle + index * step;
    return [
      at(wheel, pitch - 5.5, middle - step * 0.3),
      at(wheel, pitch + 4.5, middle - step * 0.14),
      at(wheel, pitch + 4.5, middle + step * 0.14),
      at(wheel, pitch - 5.5, middle + step * 0.3),
    ].join(' L');
  };
  const rim = `M${Array.from({ length: teeth }, (_, index) => tooth(index)).join(' L')}Z`;
  const windows = Array.from({ length: spokes }, (_, index) => {
    const [from, to] = [
      angle + ((index + 0.09) * 2 * Math.PI) / spokes,
      angle + ((index + 0.91) * 2 * Math.PI) / spokes,
    ];
    const [outer, inner] = [pitch - 16, Math.max(14, pitch * 0.27)];
    return `M${at(wheel, inner, from)} L${at(wheel, outer, from)} A${outer},${outer} 0 0 1 ${at(wheel, outer, to)} L${at(wheel, inner, to)} A${inner},${inner} 0 0 0 ${at(wheel, inner, from)}Z`;
  });
  const hub = `<circle cx="${wheel.x.toFixed(1)}" cy="${wheel.y.toFixed(1)}"`;
  return `<path d="${rim} ${windows.join(' ')}" fill="${colour}" fill-rule="evenodd" stroke="#2b1a06" stroke-width="1.4"/>
${hub} r="9" fill="#3b3f46"/>${hub} r="3.4" fill="#c9ced6"/>`;
}

const page = (width: number, height: number, ground: string, body: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"><rect width="100%" height="100%" fill="${ground}"/>${body}</svg>`;

/** Five wheels in a row, as they are laid out on a bench. */
export function gearTrain(): string {
  const [brass, pale, copper] = ['#c9973f', '#e0bd72', '#b8713c'];
  const first: Wheel = { x: 250, y: 400, teeth: 72, angle: 0, colour: brass, spokes: 5 };
  const second = meshed(first, -0.5, { teeth: 36, colour: pale, spokes: 4 });
  const third = meshed(second, 0.75, { teeth: 54, colour: copper, spokes: 5 });
  const fourth = meshed(third, -0.9, { teeth: 30, colour: pale, spokes: 4 });
  const fifth = meshed(fourth, 0.35, { teeth: 60, colour: brass, spokes: 6 });
  const grid = Array.from(
    { length: 29 },
    (_, index) =>
      `<path d="M${index * 44} 0V800M0 ${index * 44}H1200" stroke="#21405f" stroke-width="1"/>`,
  ).join('');
  return page(
    1200,
    800,
    '#183149',
    `${grid}${[first, second, third, fourth, fifth].map(drawWheel).join('')}
    <text x="60" y="745" fill="#8fb3d6" font-family="DejaVu Serif" font-size="30">72 : 36 : 54 : 30 : 60</text>`,
  );
}

/** A table of planets seen from above, over their wheels. */
export function orrery(): string {
  const centre = { x: 500, y: 500 };
  const planets = [
    { radius: 105, angle: 2.1, size: 9, colour: '#b9b2a7' },
    { radius: 170, angle: -0.6, size: 15, colour: '#e9c987' },
    { radius: 240, angle: 0.9, size: 17, colour: '#5d92c9' },
    { radius: 310, angle: 3.9, size: 13, colour: '#c46142' },
    { radius: 400, angle: -1.7, size: 30, colour: '#d9ab7a' },
  ];
  const base: Wheel = { ...centre, teeth: 176, angle: 0, colour: '#8a6a2f', spokes: 12 };
  const arms = planets.map(({ radius, angle, size, colour }) => {
    const [x, y] = at(centre, radius, angle).split(',');
    return `<circle cx="500" cy="500" r="${radius}" fill="none" stroke="#d9c48f" stroke-opacity=".45" stroke-width="1.6"/>
<path d="M500 500L${x} ${y}" stroke="#e2bf6b" stroke-width="4"/><circle cx="${x}" cy="${y}" r="${size}" fill="${colour}" stroke="#1a1410" stroke-width="1.5"/>`;
  });
  return page(
    1000,
    1000,
    '#14161f',
    `<circle cx="500" cy="500" r="478" fill="#241c14"/>${drawWheel(base)}
    <circle cx="500" cy="500" r="440" fill="#14161f" fill-opacity=".78"/>${arms.join('')}
    <circle cx="500" cy="500" r="46" fill="#f6c945" stroke="#a87708" stroke-width="4"/>`,
  );
}

/** A dial at ten past ten, as in every shop window. */
export function dial(): string {
  const centre = { x: 450, y: 450 };
  const minutes = Array.from({ length: 60 }, (_, index) => {
    const angle = (index / 60) * 2 * Math.PI;
    const isHour = index % 5 === 0;
    return `<path d="M${at(centre, isHour ? 330 : 346, angle)}L${at(centre, 360, angle)}" stroke="#2a2118" stroke-width="${isHour ? 7 : 2}"/>`;
  });
  const numerals = 'XII I II III IIII V VI VII VIII IX X XI'.split(' ').map((text, index) => {
    const degrees = index * 30;
    return `<text x="450" y="${450 - 262}" transform="rotate(${degrees} 450 450)" text-anchor="middle" font-family="DejaVu Serif" font-size="52" fill="#2a2118">${text}</text>`;
  });
  const hand = (degrees: number, length: number, width: number) =>
    `<path transform="rotate(${degrees} 450 450)" d="M${450 - width} 495L450 ${450 - length}L${450 + width} 495Z" fill="#1d2f4d"/>`;
  return page(
    900,
    900,
    '#5a3d22',
    `<circle cx="450" cy="450" r="425" fill="#b98d3e"/><circle cx="450" cy="450" r="400" fill="#f4ecd8"/>
    <circle cx="450" cy="450" r="362" fill="none" stroke="#2a2118" stroke-width="2"/>${minutes.join('')}${numerals.join('')}
    ${hand(305, 200, 12)}${hand(60, 315, 9)}<circle cx="450" cy="450" r="20" fill="#b98d3e"/>`,
  );
}
