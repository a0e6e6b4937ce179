import type { ItemRecord } from '../../platform-client/item-records';
import { importsOf } from './imports-of';
import { resolveScript } from './resolved-script';

describe('imports of a script', () => {
  it('are found where they stand, in whatever form', async () => {
    const source = [
      'import { a } from "script:one";', "import 'script:two';", 'export * from "script:three";', '// import "script:comment"', 'const text = \'import "script:text"\';', 'import "\\x73cript:four"; import fs from "node:fs";',
      'export default async (name) => { await import("script:five"); await import(name); return import.meta; };',
    ].join('\n');
    expect(await importsOf(source)).toEqual([
      { userType: 'one', line: 1, isDynamic: false }, { userType: 'two', line: 2, isDynamic: false }, { userType: 'three', line: 3, isDynamic: false }, { userType: 'four', line: 6, isDynamic: false }, { userType: 'five', line: 7, isDynamic: true },
    ]);
  });

  it.each(['import {', 'not a module at all "', '{{{', ''])('are none of %j', async (source) => {
    expect(await importsOf(source)).toEqual([]);
  });
});

describe('a script with what it imports', () => {
  let scripts: Record<string, unknown>;
  let asked: string[];
  beforeEach(() => {
    [scripts, asked] = [{}, []];
  });

  const items = {
    findScript: async (userType: string): Promise<ItemRecord | undefined> => {
      asked.push(userType);
      if (!Object.hasOwn(scripts, userType)) return undefined;
      return { _id: `id of ${userType}`, _userItemId: `${userType}_1`, _name: userType, _tipId: 't', _tipVersion: 3, _versions: [{ _id: 't', _version: 3, _userData: scripts[userType] }] };
    },
  };
  const resolve = (userType = 'main') => resolveScript(items, userType);
  const imports = (...userTypes: readonly string[]) => userTypes.map((userType) => `import "script:${userType}";`).join('\n');

  it('has each of them once, whoever imports it, and goes round in circles no longer than they do', async () => {
    scripts = { main: imports('a', 'b'), a: imports('b', 'c', 'main'), b: imports('c', 'b'), c: 'export default 1;' };
    const { main, imported } = await resolve();
    expect(main).toMatchObject({ specifier: 'script:main', version: 3, source: scripts['main'], item: { _id: 'id of main' } });
    expect(imported.map(({ specifier }) => specifier).sort()).toEqual(['script:a', 'script:b', 'script:c']);
    expect(asked.sort()).toEqual(['a', 'b', 'c', 'main']);
  });

  it('is none without one of them, named with the line that wants it, unless nothing but import() does', async () => {
    await expect(resolve('nothing')).rejects.toMatchObject({ status: 400, message: 'There is no Script of the user type "nothing" that the run may read' });
    scripts = { main: `\n${imports('a')}`, a: `export const a = 1;\n\n${imports('b')}` };
    await expect(resolve()).rejects.toThrow('There is no Script of the user type "b" that the run may read (script:a, line 3)');
    scripts = { main: `\n${imports('a')}` };
    await expect(resolve()).rejects.toThrow('There is no Script of the user type "a" that the run may read (line 2)');
    scripts = { main: 'export default () => import("script:later");' };
    expect((await resolve()).imported).toEqual([]);
    scripts = { main: 'export default () => import("script:later"); import "script:later";' };
    await expect(resolve()).rejects.toThrow('"later"');
  });

  it('has fifty modules at most, and five megabytes', async () => {
    const names = Array.from({ length: 49 }, (_, n) => `m${n}`);
    scripts = { main: imports(...names), ...Object.fromEntries(names.map((name) => [name, ''])) };
    expect((await resolve()).imported).toHaveLength(49);
    scripts = { ...scripts, m0: imports('m49'), m49: '' };
    await expect(resolve()).rejects.toThrow('imports more than 49 others');
    scripts = { main: imports('a'), a: `/* ${'x'.repeat(3_000_000)} */`, b: '' };
    expect((await resolve()).imported).toHaveLength(1);
    scripts = { main: imports('a', 'b'), a: `/* ${'x'.repeat(3_000_000)} */`, b: `/* ${'x'.repeat(3_000_000)} */` };
    await expect(resolve()).rejects.toThrow('more than 5242880 bytes');
  });

  it('has user data that is no text as JSON', async () => {
    scripts = { main: { a: 1 } };
    expect((await resolve()).main.source).toBe('{"a":1}');
    scripts = { main: undefined };
    expect((await resolve()).main.source).toBe('');
  });
});
