import { SERVICES } from '@twinyard/conventions';

const references = SERVICES.map((service) => ({ service, reference: `/${service}/api/docs`, openapi: `/${service}/api/v1/openapi.json` }));

export const landingBody = { name: 'Twinyard', health: '/health/ready', services: references };

const links = references.map(({ service, reference, openapi }) => `<li><a href="${reference}">${service}</a> <a class="quiet" href="${openapi}">openapi.json</a></li>`).join('');

export const landingPage = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Twinyard</title>
<style>body{margin:0;background:#f3f5f4;color:#14211d;font:1rem/1.6 system-ui,sans-serif}main{max-width:34rem;margin:10vh auto;padding:2rem;background:#fff;
border-radius:.75rem;box-shadow:0 1px 3px #0002,0 8px 24px #0001}h1{margin:0}li{margin:.25rem 0}a{color:#0c6b5a}.quiet{color:#55645f;font-size:.875rem;margin-left:.5rem}</style></head>
<body><main><h1>Twinyard</h1><p>An open digital-twin backend. Each service has a reference to browse:</p><ul>${links}</ul></main></body></html>
`;
