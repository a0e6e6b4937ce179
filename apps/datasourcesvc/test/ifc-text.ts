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
