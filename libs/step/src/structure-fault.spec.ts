import { structureFaultOf } from './structure-fault';

const file = (data: string) => Buffer.from(`ISO-10303-21;\nHEADER;\nENDSEC;\nDATA;\n${data}\nENDSEC;\nEND-ISO-10303-21;\n`);

describe('a glance at an exchange structure', () => {
  it.each([
    ['is empty', '', { kind: 'empty' }],
    ['is something else', 'PK\u0003\u0004', { kind: 'no start' }],
    ['was cut off', file('').subarray(0, 30), { kind: 'no end' }],
    ['has a bracket that does not end', file("#1=IFCWALL('W');\n#2=IFCWALL((/* ) */');');\n#3=IFCWALL();"), { kind: 'brackets', line: 6 }],
    ['has brackets the wrong way round', file('#1=IFCWALL)(;'), { kind: 'brackets', line: 5 }],
    ['has an entity without attributes', file('#1=IFCWALL();\n\n#900=IFCWALL;'), { kind: 'brackets', line: 7 }],
  ])('tells that a file %s', (_, bytes, fault) => {
    expect(structureFaultOf(Buffer.from(bytes))).toEqual(fault);
  });

  it.each([
    ['brackets in texts and comments', "#1=IFCWALL('(((',$); /* ))) ; */ #2=IFCWALL('it''s (',(#1,#1));"],
    ['an open text, which is the parser\'s to refuse', "#1=IFCWALL('0000"],
    ['nothing', ''],
  ])('finds no fault in %s', (_, data) => {
    expect(structureFaultOf(file(data))).toBeUndefined();
  });
});
