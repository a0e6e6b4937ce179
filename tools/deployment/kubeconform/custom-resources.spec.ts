import { customSchemas } from './custom-resources';

const DEFINITION = `
kind: CustomResourceDefinition
spec:
  group: gateway.networking.k8s.io
  names: { kind: Sample }
  versions:
    - name: v1
      schema:
        openAPIV3Schema:
          type: object
          description: Left out.
          properties:
            apiVersion: { type: string }
            kind: { type: string }
            metadata: { type: object }
            spec:
              type: object
              properties:
                rules:
                  type: array
                  maxItems: 2
                  items: { type: object, properties: { name: { type: string, description: Left out. } } }
                labels: { type: object, additionalProperties: { type: object, properties: { value: { type: string } } } }
                anything: { type: object, properties: { known: { type: string } }, x-kubernetes-preserve-unknown-fields: true }
---
kind: Other
spec: {}
`;

describe('the schemas of custom resources', () => {
  const schemas = customSchemas(DEFINITION);
  const schema = schemas.get('sample-gateway-v1.json') as { properties: { spec: { properties: Record<string, object> } } };

  it('have the names that kubeconform asks for, one for each kind and version', () => {
    expect([...schemas.keys()]).toEqual(['sample-gateway-v1.json']);
  });

  it('know their kind and version, and want a spec', () => {
    expect(schema).toMatchObject({ required: ['apiVersion', 'kind', 'spec'], properties: { apiVersion: { enum: ['gateway.networking.k8s.io/v1'] }, kind: { enum: ['Sample'] }, metadata: { type: 'object' } }, additionalProperties: false });
  });

  it('refuse fields that the definition does not know, at any depth, and keep its bounds', () => {
    const { rules, labels, anything } = schema.properties.spec.properties;
    expect(schema.properties.spec).toMatchObject({ additionalProperties: false });
    expect(rules).toEqual({ type: 'array', maxItems: 2, items: { type: 'object', properties: { name: { type: 'string' } }, additionalProperties: false } });
    expect(labels).toEqual({ type: 'object', additionalProperties: { type: 'object', properties: { value: { type: 'string' } }, additionalProperties: false } });
    expect(anything).not.toHaveProperty('additionalProperties');
  });
});
