import type { Geometry } from './sample-geometry';
import { CEILING, FOOTPRINT, SLAB, type StoreyPlan, WALL, type RoomPlan } from './sample-plan';
import { identifier, label, logical, type Properties, temperature, truth } from './sample-properties';
import type { ElementTypes } from './sample-types';
import { WallWriter } from './sample-wall';
import { constant, NONE, real, type Ref, type StepWriter, text } from './step-writer';

export interface SampleContext {
  readonly step: StepWriter;
  readonly geometry: Geometry;
  readonly properties: Properties;
  readonly types: ElementTypes;
  /** Placement of the building. */
  readonly building: Ref;
}

/** One storey: its floor, walls with their doors and windows, rooms with their sensors. */
export class StoreyWriter {
  private readonly place: Ref;

  constructor(private readonly context: SampleContext, private readonly plan: StoreyPlan) {
    this.place = context.geometry.placement(context.building, [0, 0, plan.elevation]);
  }

  write(isTop: boolean): Ref {
    const { step, properties } = this.context;
    const { name, longName, elevation } = this.plan;
    const storey = step.add('IFCBUILDINGSTOREY', step.guid(name), NONE, text(name), NONE, NONE, this.place, NONE, text(longName), constant('ELEMENT'), real(elevation));
    properties.give(name, storey, { name: 'Pset_BuildingStoreyCommon', values: { EntranceLevel: truth(elevation === 0), AboveGround: logical(true) } });
    const walls = this.plan.walls.flatMap((wall) => new WallWriter(this.context, wall).write(this.place));
    const slabs = [this.writeSlab('floor', -SLAB), ...(isTop ? [this.writeSlab('roof', WALL.height)] : [])];
    this.contain(name, storey, [...walls, ...slabs]);
    const rooms = this.plan.rooms.map((room) => this.writeRoom(room));
    step.add('IFCRELAGGREGATES', step.guid(`${name}/rooms`), NONE, NONE, NONE, storey, rooms);
    return storey;
  }

  private writeSlab(kind: 'floor' | 'roof', height: number): Ref {
    const { step, geometry, properties, types } = this.context;
    const path = `${this.plan.name}/${kind} slab`;
    const { width, depth } = FOOTPRINT;
    const place = geometry.placement(this.place, [0, 0, height]);
    const shape = geometry.box({ size: [width, depth, SLAB], at: [width / 2, depth / 2, 0] });
    const slab = step.add('IFCSLAB', step.guid(path), NONE, text(`${kind === 'roof' ? 'Roof' : 'Floor'} slab, ${this.plan.name.toLowerCase()}`), NONE, NONE, place, shape, NONE, constant(kind.toUpperCase()));
    properties.give(path, slab, { name: 'Pset_SlabCommon', values: { Reference: identifier(`S-${kind}`), IsExternal: truth(kind === 'roof'), LoadBearing: truth(true), FireRating: label('REI 60') } });
    properties.giveQuantities(path, slab, 'Qto_SlabBaseQuantities', { Depth: ['LENGTH', SLAB], NetArea: ['AREA', width * depth], NetVolume: ['VOLUME', width * depth * SLAB] });
    types.assign(slab, kind);
    return slab;
  }

  private writeRoom(room: RoomPlan): Ref {
    const { step, geometry, properties } = this.context;
    const path = `room/${room.number}`;
    const [width, depth] = room.size;
    const place = geometry.placement(this.place, [...room.corner, 0]);
    const shape = geometry.box({ size: [width, depth, CEILING], at: [width / 2, depth / 2, 0] });
    const space = step.add('IFCSPACE', step.guid(path), NONE, text(room.number), NONE, NONE, place, shape, text(room.name), constant('ELEMENT'), constant('INTERNAL'), real(this.plan.elevation));
    properties.give(path, space, { name: 'Pset_SpaceCommon', values: { Reference: identifier(room.number), IsExternal: truth(false), PubliclyAccessible: truth(room.name === 'Hall') } });
    properties.giveQuantities(path, space, 'Qto_SpaceBaseQuantities', { Height: ['LENGTH', CEILING], NetFloorArea: ['AREA', width * depth], NetVolume: ['VOLUME', width * depth * CEILING] });
    if (room.sensor !== undefined) this.contain(path, space, [this.writeSensor(room, room.sensor, place)]);
    return space;
  }

  /** On the south wall of its room, at the height of a hand. */
  private writeSensor(room: RoomPlan, source: string, roomPlace: Ref): Ref {
    const { step, geometry, properties, types } = this.context;
    const path = `sensor/${source}`;
    const place = geometry.placement(roomPlace, [room.size[0] / 2, 0.025, 1.5]);
    const shape = geometry.box({ size: [0.1, 0.05, 0.1], at: [0, 0, 0] });
    const sensor = step.add('IFCSENSOR', step.guid(path), NONE, text(`Temperature, ${room.name.toLowerCase()}`), NONE, NONE, place, shape, text(source), constant('TEMPERATURESENSOR'));
    const range = properties.bounded('SetPointTemperature', temperature(-10), temperature(50));
    properties.give(path, sensor, { name: 'Pset_SensorTypeCommon', values: { Reference: identifier('T-1') } });
    properties.give(path, sensor, { name: 'Pset_SensorTypeTemperatureSensor', values: {} }, [range, properties.enumerated('TemperatureSensorType', label('ROOM'))]);
    properties.give(path, sensor, { name: 'Twinyard_Telemetry', values: { SourceId: identifier(source) } });
    types.assign(sensor, 'sensor');
    return sensor;
  }

  private contain(path: string, container: Ref, elements: readonly Ref[]): void {
    const { step } = this.context;
    step.add('IFCRELCONTAINEDINSPATIALSTRUCTURE', step.guid(`${path}/contents`), NONE, NONE, NONE, elements, container);
  }
}
