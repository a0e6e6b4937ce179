/** The sample building as a plan: an office of two storeys, 12 m by 8 m. Metres; x runs east, y north. */
export const FOOTPRINT = { width: 12, depth: 8 } as const;
export const WALL = { exterior: 0.3, interior: 0.12, height: 2.9 } as const;
export const SLAB = 0.3;
export const CEILING = 2.7;

export interface WallPlan {
  readonly name: string;
  readonly kind: 'exterior' | 'interior';
  readonly from: readonly [x: number, y: number];
  readonly towards: 'x' | 'y';
  readonly length: number;
  readonly openings: readonly OpeningPlan[];
}

export interface OpeningPlan {
  readonly kind: 'entrance' | 'door' | 'window';
  readonly name: string;
  /** Middle of the opening along the wall. */
  readonly at: number;
}

export interface RoomPlan {
  readonly number: string;
  readonly name: string;
  readonly corner: readonly [x: number, y: number];
  readonly size: readonly [x: number, y: number];
  /** The `_sourceId` under which its temperature sensor reports. */
  readonly sensor?: string;
}

export interface StoreyPlan {
  readonly name: string;
  readonly longName: string;
  readonly elevation: number;
  readonly walls: readonly WallPlan[];
  readonly rooms: readonly RoomPlan[];
}

export const OPENINGS = {
  entrance: { width: 1.2, height: 2.2, sill: 0 },
  door: { width: 0.9, height: 2.1, sill: 0 },
  window: { width: 1.6, height: 1.3, sill: 0.9 },
} as const;

const opening = (kind: OpeningPlan['kind'], name: string, at: number): OpeningPlan => ({ kind, name, at });

/** Walls lie on their axis. The outer ones along x run corner to corner, those along y between them. */
function walls(floor: string, entrance: readonly OpeningPlan[]): WallPlan[] {
  const wall = (name: string, plan: Omit<WallPlan, 'name'>): WallPlan => ({ name: `${name} wall ${floor}`, ...plan });
  return [
    wall('South', { kind: 'exterior', from: [0, 0.15], towards: 'x', length: 12, openings: [...entrance, opening('window', `Window ${floor}.1`, 9)] }),
    wall('North', { kind: 'exterior', from: [0, 7.85], towards: 'x', length: 12, openings: [opening('window', `Window ${floor}.2`, 2.5), opening('window', `Window ${floor}.3`, 9)] }),
    wall('West', { kind: 'exterior', from: [0.15, 0.3], towards: 'y', length: 7.4, openings: [] }),
    wall('East', { kind: 'exterior', from: [11.85, 0.3], towards: 'y', length: 7.4, openings: [] }),
    wall('Middle', { kind: 'interior', from: [0.3, 4], towards: 'x', length: 11.4, openings: [opening('door', `Door ${floor}.1`, 2.2), opening('door', `Door ${floor}.2`, 5)] }),
    wall('Front', { kind: 'interior', from: [6, 0.3], towards: 'y', length: 3.64, openings: [opening('door', `Door ${floor}.3`, 1.8)] }),
    wall('Back', { kind: 'interior', from: [4.5, 4.06], towards: 'y', length: 3.64, openings: [] }),
  ];
}

interface RoomUse {
  readonly name: string;
  readonly sensor?: string;
}

/** South-west, south-east, north-west, north-east: the clear areas between the walls. */
function rooms(floor: number, uses: readonly [RoomUse, RoomUse, RoomUse, RoomUse]): RoomPlan[] {
  const areas = [
    { corner: [0.3, 0.3], size: [5.64, 3.64] },
    { corner: [6.06, 0.3], size: [5.64, 3.64] },
    { corner: [0.3, 4.06], size: [4.14, 3.64] },
    { corner: [4.56, 4.06], size: [7.14, 3.64] },
  ] as const;
  return uses.flatMap((use, index) => {
    const area = areas[index];
    return area ? [{ number: `${floor}0${index + 1}`, ...use, ...area }] : [];
  });
}

export const STOREYS: readonly StoreyPlan[] = [
  {
    name: 'Ground floor',
    longName: 'Ground floor, entrance level',
    elevation: 0,
    walls: walls('G', [opening('entrance', 'Entrance door', 3)]),
    rooms: rooms(0, [{ name: 'Hall', sensor: 'temperature-hall' }, { name: 'Office 1', sensor: 'temperature-office-1' }, { name: 'Kitchen' }, { name: 'Workshop' }]),
  },
  {
    name: 'Upper floor',
    longName: 'Upper floor',
    elevation: 3.2,
    walls: walls('U', []),
    rooms: rooms(1, [{ name: 'Landing' }, { name: 'Office 2', sensor: 'temperature-office-2' }, { name: 'Archive' }, { name: 'Meeting room', sensor: 'temperature-meeting-room' }]),
  },
];
