import { type OpeningPlan, OPENINGS, WALL, type WallPlan } from './sample-plan';
import { identifier, label, ratio, transmittance, truth } from './sample-properties';
import type { SampleContext } from './sample-storey';
import { constant, NONE, real, type Ref, text } from './step-writer';

const LEAF = 0.06;

/** A wall along its axis, the openings in it, and the doors and windows that fill them. */
export class WallWriter {
  private readonly thickness: number;

  constructor(private readonly context: SampleContext, private readonly plan: WallPlan) {
    this.thickness = WALL[plan.kind];
  }

  /** The elements that the storey contains; openings belong to the wall alone. */
  write(storeyPlace: Ref): Ref[] {
    const { step, geometry, types } = this.context;
    const { name, kind, from, towards, length, openings } = this.plan;
    const place = geometry.placement(storeyPlace, [...from, 0], towards);
    const shape = geometry.box({ size: [length, this.thickness, WALL.height], at: [length / 2, 0, 0] }, length);
    const wall = step.add('IFCWALL', step.guid(name), NONE, text(name), NONE, NONE, place, shape, NONE, constant(kind === 'exterior' ? 'SOLIDWALL' : 'PARTITIONING'));
    this.describe(wall);
    types.assign(wall, `${kind} wall`);
    return [wall, ...openings.map((opening) => this.writeOpening(wall, place, opening))];
  }

  private describe(wall: Ref): void {
    const { properties } = this.context;
    const { name, kind, length, openings } = this.plan;
    const isExternal = kind === 'exterior';
    properties.give(name, wall, {
      name: 'Pset_WallCommon',
      values: {
        Reference: identifier(isExternal ? 'W-300' : 'W-120'),
        IsExternal: truth(isExternal),
        LoadBearing: truth(isExternal),
        FireRating: label(isExternal ? 'REI 60' : 'EI 30'),
        ThermalTransmittance: transmittance(isExternal ? 0.24 : 1.6),
      },
    });
    const gross = length * WALL.height;
    const net = openings.reduce((area, { kind: filling }) => area - OPENINGS[filling].width * OPENINGS[filling].height, gross);
    properties.giveQuantities(name, wall, 'Qto_WallBaseQuantities', {
      Length: ['LENGTH', length],
      Width: ['LENGTH', this.thickness],
      Height: ['LENGTH', WALL.height],
      GrossSideArea: ['AREA', gross],
      NetSideArea: ['AREA', net],
      NetVolume: ['VOLUME', net * this.thickness],
    });
  }

  private writeOpening(wall: Ref, wallPlace: Ref, { kind, name, at }: OpeningPlan): Ref {
    const { step, geometry } = this.context;
    const { width, height, sill } = OPENINGS[kind];
    const place = geometry.placement(wallPlace, [at, 0, sill]);
    const shape = geometry.box({ size: [width, this.thickness + 0.1, height], at: [0, 0, 0] });
    const opening = step.add('IFCOPENINGELEMENT', step.guid(`${name}/opening`), NONE, text(`Opening of ${name}`), NONE, NONE, place, shape, NONE, constant('OPENING'));
    step.add('IFCRELVOIDSELEMENT', step.guid(`${name}/void`), NONE, NONE, NONE, wall, opening);
    const filling = this.writeFilling(place, kind, name);
    step.add('IFCRELFILLSELEMENT', step.guid(`${name}/filling`), NONE, NONE, NONE, opening, filling);
    return filling;
  }

  private writeFilling(openingPlace: Ref, kind: OpeningPlan['kind'], name: string): Ref {
    const { step, geometry, properties, types } = this.context;
    const { width, height } = OPENINGS[kind];
    const isWindow = kind === 'window';
    const place = geometry.placement(openingPlace, [0, 0, 0]);
    const shape = geometry.box({ size: [width, LEAF, height], at: [0, 0, 0] });
    const use = isWindow ? ['WINDOW', 'SINGLE_PANEL'] : ['DOOR', kind === 'entrance' ? 'SINGLE_SWING_LEFT' : 'SINGLE_SWING_RIGHT'];
    const element = step.add(isWindow ? 'IFCWINDOW' : 'IFCDOOR', step.guid(name), NONE, text(name), NONE, NONE, place, shape, NONE, real(height), real(width), ...use.map(constant), NONE);
    properties.give(name, element, isWindow ? WINDOW_SET : doorSet(kind === 'entrance'));
    types.assign(element, kind);
    return element;
  }
}

const WINDOW_SET = {
  name: 'Pset_WindowCommon',
  values: { Reference: identifier('N-1600'), IsExternal: truth(true), ThermalTransmittance: transmittance(0.9), GlazingAreaFraction: ratio(0.82) },
};
const doorSet = (isEntrance: boolean) => ({
  name: 'Pset_DoorCommon',
  values: { Reference: identifier(isEntrance ? 'D-1200' : 'D-900'), IsExternal: truth(isEntrance), FireRating: label(isEntrance ? 'EI 30' : 'EI 15'), SelfClosing: truth(isEntrance) },
});
