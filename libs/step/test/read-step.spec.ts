import { readStep, TooDamaged } from '../src';
import { exchange, read } from './exchange';

const NEXT = "#2=IFCWALL('b');";

describe('an entity is taken over as it is', () => {
  it.each([
    "#1=IFCWALL('a',$,*,#2,(#2,#2),.ELEMENT.,IFCREAL(1.),IFCLABEL('x'),\"0AF\",(),());",
    "#1 = IFCWALL ( 'a' , $ , /* (( ' ; */ ( 1. , 2.5E-3 , -7 , +4. ) ) ;",
    "#1=IFCWALL('it''s (',');',')');",
    "#1=IFCWALL('a\\X2\\00E9\\X0\\b','C:\\\\S\\\\','\\PA\\\\S\\i\\S\\\\');",
    "#1=IFCWALL('in two\nlines');",
    "#1=IFCWALL(1.E308,1.E-400,1.E400,9007199254740991,-9007199254740991);",
    "#134217727=IFCWALL('a');;",
    "#1=IFCWALL('raw é 漢');",
  ])('%s', (entity) => {
    const text = `${entity}\n${NEXT}`;
    expect(read(text)).toMatchObject({ entities: text, faults: [], reading: { entities: 2 } });
  });

  it('without a number for what is none, or with one that is asked for', () => {
    const bytes = Buffer.from(exchange('#1=A(nan,x);'));
    expect(readStep(bytes, '1.E400').bytes.toString()).toContain('#1=A(1.E400,$);');
  });

  it('without a copy, where nothing is to be changed', () => {
    const bytes = Buffer.from(exchange(NEXT));
    expect(readStep(bytes).bytes.buffer).toBe(bytes.buffer);
  });
});

describe('an entity is written as parsers read it', () => {
  it.each<[string, string, ...string[]]>([
    ["#1=IFCWALL('A \\S\\'',$);", "#1=IFCWALL('A \\S\\''',$);"],
    ["#1=IFCWALL('\\S\\'\\S\\'b',$);", "#1=IFCWALL('\\S\\''\\S\\''b',$);"],
    ['#1=IfcWall(.element.,ifcreal(1.),.t.,2.5e-3);', '#1=IFCWALL(.ELEMENT.,IFCREAL(1.),.T.,2.5E-3);'],
    ['#1=A(IFCREAL(.5),-.5,+.5E3,1E5,2e-3,5.e1);', '#1=A(IFCREAL(0.5),-0.5,+0.5E3,1.E5,2.E-3,5.E1);', ...Array<string>(5).fill('mended #1=A 8')],
    ["#1=A(9007199254740993,-9007199254740993,+9007199254740992);", "#1=A('9007199254740993','-9007199254740993','9007199254740992');", ...Array<string>(3).fill('integer #1=A 8')],
    ['#4294967316=A(#4294967316,#2);', '#134217728=A(#134217728,#2);'],
    ['#9223372036854775807=A();', '#134217728=A();'],
    ["#1=A('Tom's house','x');", "#1=A('Tom''s house','x');", 'mended #1=A 8'],
    ["#1=A('C:\\S\\','x');", "#1=A('C:\\S\\','x');", 'mended #1=A 8'],
    ["#1=A('3' x 7' door','the boys' room');", "#1=A('3'' x 7'' door','the boys'' room');", 'mended #1=A 8'],
    ["#1=A('x',/* never ends);", "#1=A('x',$);", 'value #1=A 8'],
    ["#1=A('it''s Tom's','x');", "#1=A('it''s Tom''s','x');", 'mended #1=A 8'],
    ["#1=A('x')", "#1=A('x');", 'mended #1=A 8'],
    ["#1=A(,'x',);", "#1=A($,'x',$);", 'mended #1=A 8', 'mended #1=A 8'],
  ])('%s', (written, entity, ...faults) => {
    expect(read(`${written}\n${NEXT}`)).toMatchObject({ entities: `${entity}\n${NEXT}`, faults });
  });

  it('and tells its own number', () => {
    const { reading } = read('#4294967316=A(#9223372036854775807);\n#9223372036854775807=B();\n#7=C();');
    expect([134_217_728, 134_217_729, 7].map((number) => reading.numberOf(number))).toEqual([4_294_967_316, '9223372036854775807', 7]);
    expect(reading.placeOf(134_217_729)).toEqual({ entity: '#9223372036854775807=B', line: 9 });
  });
});

describe('what is no value is left out', () => {
  it.each([
    'nan', 'NaN', '-nan', 'nan.', 'nan(ind)', '-nan(ind).', '-nan(ind)', '1.#IND', '-1.#IND', '1.#INF', '-1.#INF00', '1.#QNAN', 'inf', '-inf', 'Infinity', '-Infinity',
    '1.52.3', '1,5e'.slice(2), '0x1F', '5mm', '.ELEMENT', '.', '-', '+', '#', '"0AZ!"', '#x', 'true', '&', '1.5E', '--5', '1.5.',
  ])('%s', (value) => {
    for (const [written, left] of [[`IFCREAL(${value})`, 'IFCREAL($)'], [value, '$'], [`(1.,${value},2.)`, '(1.,$,2.)']] as const) {
      expect(read(`#1=A('x',${written},'y');\n${NEXT}`)).toMatchObject({ entities: `#1=A('x',${left},'y');\n${NEXT}`, faults: ['value #1=A 8'] });
    }
  });
});

describe('an entity that cannot be read costs its neighbours nothing', () => {
  it.each([
    "#1=A('x'", "#1=A('x'));", '#1=A)(;', '#1=A;', '#1=;', '#1;', '#1=A((/* ) */\');\');', "#1=A('abc,$);", "#1=A(abc','d');", "#1=A('a' 'b');", "#1=A('a' $,'b');", "#1=A('a' #2,'b');", '#1=A(1 2);', '#1=(A()B());', '#1=A(#2#2);',
    "#1=A(''');", `#1=A${'('.repeat(100_000)}`, `#1=A${'('.repeat(101)}${')'.repeat(101)};`, '=A();', "A('x';", "#1=A('x',/* never ends", '#=A();', '#1=A(1)B;', '&SCOPE', '\u0001',
  ])('%s', (broken) => {
    const { entities, faults } = read(`#5=B('before');\n${broken}\n${NEXT}\n#6=B('after');`);
    expect(entities.split('\n').map((line) => line.trim())).toEqual(["#5=B('before');", '', NEXT, "#6=B('after');"]);
    expect(faults).toEqual([expect.stringMatching(/^unreadable .* 9$/)]);
  });

  it('in the same line', () => {
    expect(read(`#1=A('x';${NEXT}`)).toMatchObject({ entities: `         ${NEXT}`, faults: ['unreadable #1=A 8'] });
  });

  it('at the end of its section, and in the header', () => {
    expect(read(`${NEXT}\n#3=A('x`).entities.trim()).toBe(NEXT);
    const text = readStep(Buffer.from(exchange(NEXT).replace("FILE_NAME('',", "FILE_NAME('('',"))).bytes.toString();
    expect(text).toMatch(/'2;1'\);\n +\nFILE_SCHEMA\(\('IFC4'\)\);\n/);
  });

  it('when it has a number that another has already', () => {
    expect(read(`${NEXT}\n#2=A('x');\n#3=A('y');`)).toMatchObject({ entities: `${NEXT}\n          \n#3=A('y');`, faults: ['twice #2=A 9'] });
  });
});

describe('faults are told', () => {
  it('where an entity refers to one that is not there, by its number in the file', () => {
    expect(read("#1=A(#2,#3,'#4');\n#2=B(#99999999999);").faults).toEqual(['dangling #1=A (#3) 8', 'dangling #2=B (#99999999999) 9']);
  });

  it('ten of each kind, and how many there are', () => {
    const { reading } = read(Array.from({ length: 25 }, (_, n) => `#${n + 1}=A(nan);`).join('\n'));
    expect(reading.faults.get('value')).toEqual({ count: 25, places: Array.from({ length: 10 }, (_, n) => ({ entity: `#${n + 1}=A`, line: 8 + n })) });
  });

  it.each([['CR', '\r'], ['CR LF', '\r\n'], ['both', '\r\n\r']])('by line, with ends of %s', (_, end) => {
    const text = exchange(`#1=A(1.);\n#2=B(nan);\n#3=C(#4);`).replaceAll('\n', end);
    const each = end === '\r\n\r' ? 2 : 1;
    expect([...readStep(Buffer.from(text)).faults.values()].flatMap(({ places }) => places.map(({ line }) => line))).toEqual([1 + 8 * each, 1 + 9 * each]);
  });

  it('with the names of entities, in any case', () => {
    const { reading } = read("#1=IfcWall();\n#2=IFCWALL();\n#3=IFCDOOR();");
    expect(reading.names.map((name) => [name.name, name.count, reading.placesOf(name)])).toEqual([
      ['IFCWALL', 2, [{ entity: '#1=IFCWALL', line: 8 }, { entity: '#2=IFCWALL', line: 9 }]], ['IFCDOOR', 1, [{ entity: '#3=IFCDOOR', line: 10 }]],
    ]);
  });

  it('where a line is no UTF-8, and others are kept as they are', () => {
    const bytes = Buffer.concat([Buffer.from("#1=A('Tür');\n"), Buffer.from("#2=A('Tür');\n", 'latin1'), Buffer.from("#3=A('漢');")]);
    expect(read(bytes)).toMatchObject({ entities: "#1=A('Tür');\n#2=A('Tür');\n#3=A('漢');", faults: ['encoding text 9'] });
  });
});

describe('a file that would be read for ever', () => {
  it('is given up: each of its entities is broken far behind the next', () => {
    const entities = Array.from({ length: 5_000 }, (_, n) => `#${n + 1}=A('/**/,$/*`).join('\n');
    expect(() => readStep(Buffer.from(exchange(`${entities}*/'`)))).toThrow(TooDamaged);
  });

  it('is not one that was read to its end in vain once, and is broken in places', () => {
    const entities = ["#1=A('x,$);", ...Array.from({ length: 1_000 }, (_, n) => `#${n + 2}=B(1.${n % 50 === 0 ? '' : ')'};`)].join('\n');
    expect(read(entities).reading.faults.get('unreadable')?.count).toBe(21);
  });

  it('is not one in which nothing that begins ends', () => {
    const entities = Array.from({ length: 5_000 }, (_, n) => `#${n + 1}=A(/*`).join('\n');
    expect(read(entities).reading.faults.get('unreadable')?.count).toBe(5_000);
  });
});
