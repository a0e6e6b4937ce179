import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

interface Parameter {
  readonly name: string;
  readonly in: string;
}

interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly Parameter[];
}

interface Schema {
  readonly anyOf?: readonly unknown[];
  readonly oneOf?: readonly unknown[];
}

interface Reference {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** What a generator has made: whether it knows something of the reference by its name. */
export interface GeneratedClient {
  hasOperation(operationId: string): boolean;
  hasParameter(operationId: string, parameter: Parameter): boolean;
  hasSchema(name: string, schema: Schema): boolean;
}

/** What a client leaves out of the reference that it was made of. */
export function lacking(client: GeneratedClient, document: string): string[] {
  const { paths, components } = JSON.parse(document) as Reference;
  const operations = Object.values(paths).flatMap((item) => Object.values(item));
  return [
    ...operations.filter(({ operationId }) => !client.hasOperation(operationId)).map(({ operationId }) => `operation ${operationId}`),
    ...operations.filter(({ operationId }) => client.hasOperation(operationId)).flatMap(({ operationId, parameters = [] }) =>
      parameters.filter((parameter) => !client.hasParameter(operationId, parameter)).map(({ name }) => `parameter ${operationId} ${name}`)),
    ...Object.entries(components.schemas).filter(([name, schema]) => !client.hasSchema(name, schema)).map(([name]) => `schema ${name}`),
  ];
}

/** From where `begin` stands to the next `end`; nothing where it does not stand. */
function between(text: string, begin: string, end: string): string {
  const from = text.indexOf(begin);
  return from < 0 ? '' : text.slice(from, text.indexOf(end, from));
}

/** As TypeScript has a member: in quotes where it is no identifier. */
const hasMember = (text: string, name: string) => [name, `'${name}'`, `"${name}"`].some((word) => text.includes(` ${word}: `) || text.includes(` ${word}?: `));

export function openApiFetchClient(folder: string): GeneratedClient {
  const text = readFileSync(join(folder, 'twinyard.d.ts'), 'utf8');
  const [schemas, operations] = [between(text, '\n    schemas: {\n', '\n    };\n'), text.slice(text.indexOf('\nexport interface operations {\n'))];
  const operation = (id: string) => between(operations, `\n    ${id}: {\n`, '\n    };\n');
  return {
    hasOperation: (id) => operation(id) !== '',
    hasParameter: (id, { name }) => hasMember(between(operation(id), ' parameters: {\n', '\n        };\n'), name),
    hasSchema: (name) => schemas.includes(`\n        ${name}: `),
  };
}

export function heyApiClient(folder: string): GeneratedClient {
  const [functions = '', types = ''] = ['sdk.gen.ts', 'types.gen.ts'].map((file) => readFileSync(join(folder, 'twinyard', file), 'utf8'));
  const input = (id: string) => between(types, `\nexport type ${id.charAt(0).toUpperCase()}${id.slice(1)}Data = {\n`, '\n};\n');
  return {
    hasOperation: (id) => functions.includes(`\nexport const ${id} = `),
    hasParameter: (id, { name }) => hasMember(input(id), name),
    hasSchema: (name) => types.includes(`\nexport type ${name} = `),
  };
}

const snake = (name: string) => name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

export function pythonClientIn(folder: string): GeneratedClient {
  const root = join(folder, 'twinyard', 'twinyard_client');
  const files = readdirSync(join(root, 'api'), { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.py'));
  const modules = new Map(files.map((path) => [basename(path, '.py'), readFileSync(join(root, 'api', path), 'utf8')]));
  const models = readFileSync(join(root, 'models', '__init__.py'), 'utf8').toLowerCase();
  return {
    hasOperation: (id) => modules.has(snake(id)),
    hasParameter: (id, { name, in: place }) => (modules.get(snake(id)) ?? '').includes(place === 'path' ? `${snake(name)}=quote(` : `${place === 'query' ? 'params' : 'headers'}["${name}"]`),
    // A choice has no class of its own: what there is to choose from stands wherever it is used.
    hasSchema: (name, { anyOf, oneOf }) => anyOf !== undefined || oneOf !== undefined || models.includes(`"${name.toLowerCase()}"`),
  };
}
