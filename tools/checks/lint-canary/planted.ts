/** A file that breaks one rule, and the rule that has to say so. */
export interface PlantedFile {
  /** Project folder → where the file goes; every path starts with a project's `src`. */
  readonly path: string;
  readonly rule: string;
  readonly text: string;
}

export const FOLDER = 'planted-by-lint-canary';
const BOUNDARIES = '@nx/enforce-module-boundaries';

const plant = (project: string, name: string, rule: string, ...lines: string[]): PlantedFile => ({
  path: `${project}/src/${FOLDER}/${name}.ts`,
  rule,
  text: `${lines.join('\n')}\n`,
});
const inApp = (name: string, rule: string, ...lines: string[]) => plant('apps/aisvc', name, rule, ...lines);

/** Directions between projects: what a bare eslint does not see. */
const DIRECTIONS: readonly PlantedFile[] = [
  inApp('app-imports-app', BOUNDARIES, "import { service } from '../../../filesvc/src/service';", 'export const other = service.name;'),
  plant('libs/blobs', 'lib-imports-sibling', BOUNDARIES, "import { Allow } from '@twinyard/auth';", 'export const other = Allow;'),
  plant('libs/blobs', 'lib-imports-app', BOUNDARIES, "import { service } from '../../../../apps/aisvc/src/service';", 'export const other = service.name;'),
  plant('libs/jobs', 'lib-imports-upwards', BOUNDARIES, "import { Outbox } from '@twinyard/events';", 'export const other = Outbox;'),
  plant('libs/conventions', 'lib-imports-upwards', BOUNDARIES, "import { defineService } from '@twinyard/service-kit';", 'export const other = defineService;'),
];

const IMPORTS: readonly PlantedFile[] = [
  inApp('driver', 'no-restricted-imports', "import { Client } from 'pg';", 'export const other = new Client();'),
  inApp('driver-of-orm', 'no-restricted-imports', "import { DataSource } from 'typeorm';", 'export const other = DataSource;'),
  inApp('testing', 'no-restricted-imports', "import { eventually } from '@twinyard/testing';", 'export const other = eventually;'),
  plant('libs/blobs', 'testing', 'no-restricted-imports', "import { eventually } from '@twinyard/testing';", 'export const other = eventually;'),
  inApp('type-import', '@typescript-eslint/consistent-type-imports', "import { ServiceName } from '@twinyard/conventions';", 'export const name = (given: ServiceName): ServiceName => given;'),
];

const CODE: readonly PlantedFile[] = [
  inApp('environment', 'no-restricted-properties', 'export const port = process.env.PORT;'),
  plant('libs/blobs', 'environment', 'no-restricted-properties', 'export const port = process.env.PORT;'),
  inApp('collected-signal', 'no-restricted-properties', 'export const late = AbortSignal.any([AbortSignal.timeout(1_000)]);'),
  inApp('any', '@typescript-eslint/no-explicit-any', 'export const anything = (given: any): unknown => given;'),
  inApp('floating', '@typescript-eslint/no-floating-promises', 'export function go(work: () => Promise<void>): void {', '  work();', '}'),
  inApp('exhaustive', '@typescript-eslint/switch-exhaustiveness-check',
    "export function one(given: 'a' | 'b'): number | undefined {", '  switch (given) {', "    case 'a':", '      return 1;', '  }', '  return undefined;', '}'),
  inApp('loose-equality', 'eqeqeq', 'export const isOne = (given: unknown) => given == 1;'),
  inApp('else-return', 'no-else-return', 'export function one(given: boolean): number {', '  if (given) {', '    return 1;', '  } else {', '    return 2;', '  }', '}'),
  inApp('ternary', 'no-nested-ternary', 'export const one = (a: boolean, b: boolean) => (a ? 1 : b ? 2 : 3);'),
  inApp('unused', '@typescript-eslint/no-unused-vars', 'const one = 1;', 'export const two = 2;'),
];

const SIZES: readonly PlantedFile[] = [
  inApp('long-file', 'max-lines', ...Array.from({ length: 301 }, (_, line) => `export const line${line} = ${line};`)),
  inApp('long-function', 'max-lines-per-function', 'export function long(): number[] {', '  return [', ...Array.from({ length: 40 }, (_, line) => `    ${line},`), '  ];', '}'),
  inApp('parameters', 'no-restricted-syntax', 'export const sum = (a: number, b: number, c: number, d: number, e: number, f: number) => a + b + c + d + e + f;'),
  inApp('depth', 'max-depth', 'export function deep(a: boolean): number {', '  if (a) {', '    if (!a) {', '      for (;;) {', '        if (a) return 1;', '      }', '    }', '  }', '  return 0;', '}'),
  inApp('complexity', 'complexity', `export const complex = (a: boolean[]) => ${Array.from({ length: 10 }, (_, index) => `a[${index}]`).join(' && ')} && a.length;`),
];

export const PLANTED: readonly PlantedFile[] = [...DIRECTIONS, ...IMPORTS, ...CODE, ...SIZES];
