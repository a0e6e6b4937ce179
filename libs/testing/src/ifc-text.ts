/** A small IFC file around the given entities. */
export const ifcText = (entities: string, schema = 'IFC4') =>
  [
    'ISO-10303-21;',
    'HEADER;',
    "FILE_DESCRIPTION((''),'2;1');",
    "FILE_NAME('','',(''),(''),'','','');",
    `FILE_SCHEMA(('${schema}'));`,
    'ENDSEC;',
    'DATA;',
    entities,
    'ENDSEC;',
    'END-ISO-10303-21;',
    '',
  ].join('\n');

/** A file with so many walls, and nothing else. */
export const manyWalls = (count: number) =>
  Buffer.from(ifcText(Array.from({ length: count }, (_, n) => `#${n + 1}=IFCWALL('${n + 1}',$,'Wall ${n + 1}',$,$,$,$,$,$);`).join('\n')));
