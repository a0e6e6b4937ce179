import Ajv2020 from 'ajv/dist/2020';

/** Whether a parser takes what it is given. */
export function isTaken(parse: () => unknown): boolean {
  try {
    parse();
    return true;
  } catch {
    return false;
  }
}

/** Schemas as they stand in `#/components/schemas` of an OpenAPI 3.1 document, judged by ajv. The function tells whether a value is one of the named. */
export function componentSchemas(schemas: Readonly<Record<string, object>>): (name: string, value: unknown) => boolean {
  const judge = new Ajv2020({ strict: false });
  judge.addSchema({ $id: 'document', components: { schemas } });
  const named = (name: string) => judge.getSchema(`document#/components/schemas/${name}`);
  return (name, value) => {
    const fits = named(name);
    if (fits === undefined) throw new Error(`there is no schema ${name}`);
    return fits(value) === true;
  };
}
