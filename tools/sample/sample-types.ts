import { label, type PropertySet, type Properties, ratio, transmittance, truth } from './sample-properties';
import { constant, NONE, type Ref, type StepWriter, text } from './step-writer';

const TYPES = {
  'exterior wall': { entity: 'IFCWALLTYPE', name: 'Exterior wall 300', tail: ['SOLIDWALL'], set: { name: 'Pset_WallCommon', values: { IsExternal: truth(true), FireRating: label('REI 60'), ThermalTransmittance: transmittance(0.24) } } },
  'interior wall': { entity: 'IFCWALLTYPE', name: 'Interior wall 120', tail: ['PARTITIONING'], set: { name: 'Pset_WallCommon', values: { IsExternal: truth(false), FireRating: label('EI 30') } } },
  floor: { entity: 'IFCSLABTYPE', name: 'Floor slab 300', tail: ['FLOOR'], set: { name: 'Pset_SlabCommon', values: { IsExternal: truth(false), LoadBearing: truth(true) } } },
  roof: { entity: 'IFCSLABTYPE', name: 'Roof slab 300', tail: ['ROOF'], set: { name: 'Pset_SlabCommon', values: { IsExternal: truth(true), ThermalTransmittance: transmittance(0.18) } } },
  entrance: { entity: 'IFCDOORTYPE', name: 'Entrance door 1200', tail: ['DOOR', 'SINGLE_SWING_LEFT'], set: { name: 'Pset_DoorCommon', values: { IsExternal: truth(true), SelfClosing: truth(true) } } },
  door: { entity: 'IFCDOORTYPE', name: 'Interior door 900', tail: ['DOOR', 'SINGLE_SWING_RIGHT'], set: { name: 'Pset_DoorCommon', values: { IsExternal: truth(false), SelfClosing: truth(false) } } },
  window: { entity: 'IFCWINDOWTYPE', name: 'Window 1600 x 1300', tail: ['WINDOW', 'SINGLE_PANEL'], set: { name: 'Pset_WindowCommon', values: { IsExternal: truth(true), GlazingAreaFraction: ratio(0.82) } } },
  sensor: { entity: 'IFCSENSORTYPE', name: 'Room temperature sensor', tail: ['TEMPERATURESENSOR'], set: { name: 'Pset_ManufacturerTypeInformation', values: { Manufacturer: label('Twinyard sample'), ModelLabel: label('T-1') } } },
} as const satisfies Record<string, { readonly entity: string; readonly name: string; readonly tail: readonly string[]; readonly set: PropertySet }>;

export type SampleType = keyof typeof TYPES;

/** Collects which element is of which type; the relations are written at the end, one a type. */
export class ElementTypes {
  private readonly members = new Map<SampleType, Ref[]>();

  constructor(private readonly step: StepWriter, private readonly properties: Properties) {}

  assign(element: Ref, type: SampleType): void {
    this.members.set(type, [...(this.members.get(type) ?? []), element]);
  }

  write(): void {
    for (const [type, elements] of this.members) {
      const relation = this.step.guid(`type/${type}/relation`);
      this.step.add('IFCRELDEFINESBYTYPE', relation, NONE, NONE, NONE, elements, this.writeType(type));
    }
  }

  private writeType(key: SampleType): Ref {
    const { entity, name, tail, set } = TYPES[key];
    const openable = tail.length > 1 ? [constant('F'), NONE] : [];
    const sets = [this.properties.set(`type/${key}`, set)];
    return this.step.add(entity, this.step.guid(`type/${key}`), NONE, text(name), NONE, NONE, sets, NONE, text(key.toUpperCase()), NONE, ...tail.map(constant), ...openable);
  }
}
