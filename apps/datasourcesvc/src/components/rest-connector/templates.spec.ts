import { secretsNamedIn, Templates } from './templates';

const VALUES = {
  inparams: { a: { b: 'deep', list: [{ id: 7 }] }, n: 5, no: null, yes: true, text: '{{secret:key}} {{inparams.n}} $& $1', path: 'a b/c?d' },
  actualParams: { base: 'https://api.example.com/v1', x: 'own' },
};
const at = 'body';

describe('templates', () => {
  const templates = () => new Templates(VALUES, new Map([['key', 'k$&y']]));
  const text = (template: string, place: object = {}) => templates().text(template, { at, takesSecrets: true, ...place });

  it.each([
    ['{{inparams.a.b}}', 'deep'], ['<{{ actualParams.x }}>', '<own>'], ['{{inparams.n}}/{{inparams.yes}}', '5/true'], ['[{{inparams.no}}]', '[]'],
    ['{{inparams.a.list.0.id}}', '7'], ['{{inparams.a.list}}', '[{"id":7}]'], ['Bearer {{secret:key}}', 'Bearer k$&y'],
  ])('fill %j', (template, filled) => expect(text(template)).toBe(filled));

  it.each(['{{name}}', '{{#each inparams}}', '{{inparams}', '{ {inparams.n} }', '{{}}', '{{inparamsx.a}}', '{{inparams..a}}'])('leave %j, which is somebody else’s', (template) => expect(text(template)).toBe(template));

  it('do not look at what was put in: a value brings no secret and no other value', () => {
    expect(text('{{inparams.text}}')).toBe(VALUES.inparams.text);
    expect(templates().value({ a: '{{inparams.text}}' }, { at, takesSecrets: true })).toEqual({ a: VALUES.inparams.text });
  });

  it('keep what a value is where nothing stands beside it', () => {
    const filled = templates().value({ n: '{{inparams.n}}', list: ['{{inparams.a.list}}', 'n={{inparams.n}}'], no: '{{inparams.no}}', kept: 1.5 }, { at });
    expect(filled).toEqual({ n: 5, list: [[{ id: 7 }], 'n=5'], no: null, kept: 1.5 });
  });

  it('write a value as a part of an address, but for the beginning', () => {
    const encode = (value: string) => encodeURIComponent(value);
    expect(text('{{actualParams.base}}/items/{{inparams.path}}', { encode })).toBe('https://api.example.com/v1/items/a%20b%2Fc%3Fd');
  });

  it('say what is not there, and reach nothing that is not the value’s own', () => {
    for (const path of ['inparams.c', 'inparams.a.b.c', 'inparams.n.toFixed', 'actualParams.__proto__', 'inparams.a.constructor', 'inparams.a.list.1']) {
      expect(() => text(`{{${path}}}`)).toThrow(`body: there is no ${path}`);
    }
  });

  it('take secrets where they may stand, and those of the step', () => {
    expect(() => text('{{secret:key}}', { takesSecrets: false })).toThrow('body: a secret may stand in values of headers and in the body alone');
    expect(() => text('{{secret:other}}')).toThrow('the secret "other" is not among those of the step');
    expect(secretsNamedIn({ a: ['x {{secret:one}} {{ secret: two words }}'], b: '{{inparams.text}}', '{{secret:key of an object}}': 1 }, at)).toEqual(['one', 'two words']);
  });

  it('have a bound for what they fill, and for how deep they look', () => {
    const large = new Templates({ inparams: 'x'.repeat(1024 ** 2), actualParams: {} });
    expect(() => large.text('{{inparams}}'.repeat(11), { at })).toThrow('body: is larger than 10 MB when it is filled');
    let nested: unknown = 'bottom';
    for (let level = 0; level < 101; level += 1) nested = [nested];
    expect(() => templates().value(nested, { at })).toThrow('is nested more than 100 levels deep');
  });
});
