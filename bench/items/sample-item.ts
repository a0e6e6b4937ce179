const CLASSES = ['IfcWall', 'IfcSlab', 'IfcDoor', 'IfcWindow', 'IfcSpace', 'IfcPipeSegment', 'IfcLightFixture', 'IfcColumn'];
/** Items of a collection that stand in one room: what a list of the benchmark finds. */
export const ITEMS_PER_ROOM = 200;

export const classAt = (index: number) => CLASSES[index % CLASSES.length] ?? '';
export const roomAt = (index: number) => `room-${Math.floor(index / ITEMS_PER_ROOM)}`;

/** About 0.5 KB of what a building model has per element; the same for every run. */
export function sampleItem(index: number): Record<string, unknown> {
  return {
    ifcClass: classAt(index),
    room: roomAt(index),
    tag: `element-${index}`,
    name: `Basic element : interior, 138 mm, one hour : ${100_000 + index}`,
    storey: { name: `Level ${index % 12}`, elevation: (index % 12) * 3.1 },
    properties: {
      Area: { val: ((index * 7919) % 10_007) / 100, unit: 'm²', pset: 'Dimensions' },
      Volume: { val: ((index * 104_729) % 50_021) / 1000, unit: 'm³', pset: 'Dimensions' },
      LoadBearing: { val: index % 3 === 0, pset: 'Pset_WallCommon' },
      Reference: { val: 'Interior - Partition (92mm Stud)', pset: 'Pset_WallCommon' },
    },
    position: [index % 97, index % 89, index % 83],
  };
}
