import { Geometry } from './sample-geometry';
import { StoreyWriter } from './sample-storey';
import { ElementTypes } from './sample-types';
import { integer, label, logical, Properties } from './sample-properties';
import { STOREYS } from './sample-plan';
import { writeTerrain } from './sample-terrain';
import { constant, NONE, real, type Ref, StepWriter, text } from './step-writer';

const HEADER = [
  "FILE_DESCRIPTION(('ViewDefinition [ReferenceView_V1.2]'),'2;1');",
  "FILE_NAME('sample-building.ifc','2026-01-01T00:00:00',('Twinyard'),('Twinyard'),'tools/sample','Twinyard sample generator','Apache-2.0');",
  "FILE_SCHEMA(('IFC4'));",
];

/** The sample building as an IFC4 file: the same text each time. `terrainSide`: the points along a side of the ground around it, if there is to be one; 270 make 4 MB. */
export function sampleBuilding({ terrainSide = 0 }: { readonly terrainSide?: number } = {}): string {
  const step = new StepWriter();
  const geometry = new Geometry(step);
  const properties = new Properties(step);
  const project = writeProject(step, geometry.context);
  const sitePlace = geometry.placement(undefined, [0, 0, 0]);
  const site = step.add('IFCSITE', step.guid('site'), NONE, text('Sample site'), NONE, NONE, sitePlace, NONE, NONE, constant('ELEMENT'), ['52', '31', '12'], ['13', '24', '36'], real(34), NONE, NONE);
  const place = geometry.placement(sitePlace, [0, 0, 0]);
  const building = step.add('IFCBUILDING', step.guid('building'), NONE, text('Sample office'), NONE, NONE, place, NONE, text('Sample office of Twinyard'), constant('ELEMENT'), real(0), NONE, NONE);
  properties.give('building', building, { name: 'Pset_BuildingCommon', values: { NumberOfStoreys: integer(STOREYS.length), YearOfConstruction: label('2024'), IsLandmarked: logical(false) } });
  const types = new ElementTypes(step, properties);
  const context = { step, geometry, properties, types, building: place };
  const storeys = STOREYS.map((plan) => new StoreyWriter(context, plan).write(plan === STOREYS.at(-1)));
  types.write();
  aggregate(step, 'project', project, [site]);
  aggregate(step, 'site', site, [building]);
  aggregate(step, 'building', building, storeys);
  if (terrainSide > 0) step.add('IFCRELCONTAINEDINSPATIALSTRUCTURE', step.guid('site/contents'), NONE, NONE, NONE, [writeTerrain(step, geometry, sitePlace, terrainSide)], site);
  return step.toFile(HEADER);
}

function aggregate(step: StepWriter, path: string, whole: Ref, parts: readonly Ref[]): void {
  step.add('IFCRELAGGREGATES', step.guid(`${path}/parts`), NONE, NONE, NONE, whole, parts);
}

function writeProject(step: StepWriter, context: Ref): Ref {
  const unit = (kind: string, name: string) => step.add('IFCSIUNIT', '*', constant(kind), NONE, constant(name));
  const length = unit('LENGTHUNIT', 'METRE');
  const kelvin = unit('THERMODYNAMICTEMPERATUREUNIT', 'KELVIN');
  const factors = [
    step.add('IFCDERIVEDUNITELEMENT', unit('POWERUNIT', 'WATT'), '1'),
    step.add('IFCDERIVEDUNITELEMENT', length, '-2'),
    step.add('IFCDERIVEDUNITELEMENT', kelvin, '-1'),
  ];
  const units = [
    length,
    unit('AREAUNIT', 'SQUARE_METRE'),
    unit('VOLUMEUNIT', 'CUBIC_METRE'),
    unit('PLANEANGLEUNIT', 'RADIAN'),
    unit('THERMODYNAMICTEMPERATUREUNIT', 'DEGREE_CELSIUS'),
    step.add('IFCDERIVEDUNIT', factors, constant('THERMALTRANSMITTANCEUNIT'), NONE),
  ];
  const assignment = step.add('IFCUNITASSIGNMENT', units);
  return step.add('IFCPROJECT', step.guid('project'), NONE, text('Twinyard sample'), text('A small office that ships with Twinyard'), NONE, NONE, NONE, [context], assignment);
}
