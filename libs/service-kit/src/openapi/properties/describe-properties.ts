import type { OpenAPIObject } from '@nestjs/swagger';
import { PROPERTY_WORDS } from './property-words';

type Properties = Record<string, { readonly description?: string }>;

/** Nothing that has to be guessed: what a class does not say of a property is said by its name. */
export function describeProperties(document: OpenAPIObject): OpenAPIObject {
  for (const [name, schema] of Object.entries(document.components?.schemas ?? {})) {
    const { properties = {} } = schema as { readonly properties?: Properties };
    for (const [property, said] of Object.entries(properties)) {
      const description = said.description ?? PROPERTY_WORDS[`${name}.${property}`] ?? PROPERTY_WORDS[property];
      // A new one: schemas share some.
      if (description !== undefined) properties[property] = { ...said, description };
    }
  }
  return document;
}
