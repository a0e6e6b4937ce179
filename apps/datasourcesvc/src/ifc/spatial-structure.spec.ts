import { ifcText } from '@twinyard/testing/ifc-text';
import type { IfcModel } from './ifc-model';
import { readIfc } from './read-ifc';

const STRUCTURE = `
#1=IFCPROJECT('p',$,'Project',$,$,'Long project',$,$,$);
#2=IFCSITE('s',$,'Site',$,$,$,$,$,.ELEMENT.,$,$,12.5,$,$);
#3=IFCBUILDING('b',$,'Building',$,$,$,$,$,.ELEMENT.,3.,$,$);
#4=IFCBUILDINGSTOREY('f',$,'Storey',$,$,$,$,'Ground floor',.ELEMENT.,0.25);
#5=IFCSPACE('r',$,'Room',$,$,$,$,'Kitchen',.ELEMENT.,$,0.3);
#11=IFCRELAGGREGATES('r1',$,$,$,#1,(#2));
#12=IFCRELAGGREGATES('r2',$,$,$,#2,(#3));
#13=IFCRELAGGREGATES('r3',$,$,$,#3,(#4));
#14=IFCRELAGGREGATES('r4',$,$,$,#4,(#5));`;

const read = (entities: string, schema?: string): Promise<IfcModel> => readIfc(new TextEncoder().encode(ifcText(entities, schema)));

/** Name of each element → name of its container. */
function places({ elements, containers }: IfcModel) {
  const names = new Map(containers.map(({ key, name }) => [key, name]));
  return Object.fromEntries(elements.map(({ name, containerKey }) => [name, containerKey === undefined ? undefined : names.get(containerKey)]));
}

describe('the spatial structure', () => {
  it('goes from the project to the rooms, with heights and long names', async () => {
    const { containers } = await read(STRUCTURE);
    expect(containers).toEqual([
      { key: 1, sourceId: 'p', ifcClass: 'IfcProject', name: 'Project', properties: {}, longName: 'Long project' },
      { key: 2, sourceId: 's', ifcClass: 'IfcSite', name: 'Site', properties: {}, parentKey: 1, elevation: 12.5 },
      { key: 3, sourceId: 'b', ifcClass: 'IfcBuilding', name: 'Building', properties: {}, parentKey: 2, elevation: 3 },
      { key: 4, sourceId: 'f', ifcClass: 'IfcBuildingStorey', name: 'Storey', properties: {}, parentKey: 3, longName: 'Ground floor', elevation: 0.25 },
      { key: 5, sourceId: 'r', ifcClass: 'IfcSpace', name: 'Room', properties: {}, parentKey: 4, longName: 'Kitchen', elevation: 0.3 },
    ]);
  });

  it('puts what belongs to an element into the container of that element', async () => {
    const model = await read(`${STRUCTURE}
#20=IFCWALL('w',$,'Wall',$,$,$,$,$,$);
#21=IFCOPENINGELEMENT('o',$,'Opening',$,$,$,$,$,$);
#22=IFCDOOR('d',$,'Door',$,$,$,$,$,$,$,$,$,$);
#23=IFCSTAIR('st',$,'Stair',$,$,$,$,$,$);
#24=IFCSTAIRFLIGHT('sf',$,'Flight',$,$,$,$,$,$,$,$,$,$);
#25=IFCSENSOR('se',$,'Sensor',$,$,$,$,$,$);
#26=IFCDISTRIBUTIONPORT('dp',$,'Port',$,$,$,$,$,$,$);
#27=IFCWALL('lw',$,'Lost wall',$,$,$,$,$,$);
#30=IFCRELCONTAINEDINSPATIALSTRUCTURE('c1',$,$,$,(#20,#23),#4);
#31=IFCRELCONTAINEDINSPATIALSTRUCTURE('c2',$,$,$,(#25),#5);
#32=IFCRELVOIDSELEMENT('v',$,$,$,#20,#21);
#33=IFCRELFILLSELEMENT('fi',$,$,$,#21,#22);
#34=IFCRELAGGREGATES('a',$,$,$,#23,(#24));
#35=IFCRELNESTS('n',$,$,$,#25,(#26));`);
    expect(places(model)).toEqual({
      Site: 'Project', Building: 'Site', Storey: 'Building', Room: 'Storey',
      Wall: 'Storey', Opening: 'Storey', Door: 'Storey', Stair: 'Storey', Flight: 'Storey', Sensor: 'Room', Port: 'Room',
      'Lost wall': undefined,
    });
  });

  it('takes the container that a relation names before that of the host', async () => {
    const model = await read(`${STRUCTURE}
#20=IFCSTAIR('st',$,'Stair',$,$,$,$,$,$);
#21=IFCSTAIRFLIGHT('sf',$,'Flight',$,$,$,$,$,$,$,$,$,$);
#30=IFCRELAGGREGATES('a',$,$,$,#20,(#21));
#31=IFCRELCONTAINEDINSPATIALSTRUCTURE('c1',$,$,$,(#20),#4);
#32=IFCRELCONTAINEDINSPATIALSTRUCTURE('c2',$,$,$,(#21),#5);`);
    expect(places(model)).toMatchObject({ Stair: 'Storey', Flight: 'Room' });
  });

  it('knows the containers of roads and bridges (IFC4X3)', async () => {
    const model = await read(
      `#1=IFCPROJECT('p',$,'Project',$,$,$,$,$,$);#2=IFCBRIDGE('b',$,'Bridge',$,$,$,$,$,.ELEMENT.,.ARCHED.);#3=IFCRELAGGREGATES('r',$,$,$,#1,(#2));`,
      'IFC4X3_ADD2',
    );
    expect(model.schema).toBe('IFC4X3_ADD2');
    expect(model.containers.map(({ ifcClass, parentKey }) => [ifcClass, parentKey])).toEqual([['IfcProject', undefined], ['IfcBridge', 1]]);
    expect(model.elements.map(({ ifcClass }) => ifcClass)).toEqual(['IfcBridge']);
  });

  it('leaves a circle of containers without an end', async () => {
    const model = await read(`#4=IFCBUILDINGSTOREY('f',$,'A',$,$,$,$,$,$,$);#5=IFCBUILDINGSTOREY('g',$,'B',$,$,$,$,$,$,$);#6=IFCRELAGGREGATES('r',$,$,$,#4,(#5));#7=IFCRELAGGREGATES('q',$,$,$,#5,(#4));`);
    expect(model.containers).toHaveLength(2);
  });
});
