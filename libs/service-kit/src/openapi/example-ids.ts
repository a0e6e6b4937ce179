/**
 * What the examples of all references call the same things: an example of one operation goes on with what that of another has made. A test sends each of them with
 * those of its own in their place (tools/platform/test/requests.ts).
 */
export const EXAMPLE_IDS = {
  email: 'ada@example.com',
  baseUrl: 'https://twins.example.com',
  namespace: 'house_a1B2c3D4',

  organization: '4e0d1c57-6a2f-4f0e-9d3b-0c5a7e1f2b01',
  app: '4e0d1c57-6a2f-4f0e-9d3b-0c5a7e1f2b02',
  user: '4e0d1c57-6a2f-4f0e-9d3b-0c5a7e1f2b03',
  usergroup: '4e0d1c57-6a2f-4f0e-9d3b-0c5a7e1f2b04',
  issuer: 'https://login.example.com',
  client: '4e0d1c57-6a2f-4f0e-9d3b-0c5a7e1f2b05',
  clientSecret: 'kept-in-your-environment',

  collection: '8b1f6a20-3c4d-4e5f-8a9b-1d2e3f405101',
  telemetry: '8b1f6a20-3c4d-4e5f-8a9b-1d2e3f405102',
  relatedItem: '66a1f0c2d4e5b60718293a01',
  telemetryItem: '66a1f0c2d4e5b60718293a02',

  file: 'c2d3e4f5-0617-4283-94a5-b6c7d8e9f001',

  orchestrator: '1f2e3d4c-5b6a-4798-8796-a5b4c3d2e101',
  run: '1f2e3d4c-5b6a-4798-8796-a5b4c3d2e102',

  group: '90a1b2c3-d4e5-4f60-8172-839405a6b701',
  sender: '90a1b2c3-d4e5-4f60-8172-839405a6b702',
  template: '90a1b2c3-d4e5-4f60-8172-839405a6b703',
} as const;
