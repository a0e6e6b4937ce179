import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { gzip } from 'node:zlib';
import { escapeHtml, FRONT_CSS, head, page, PAGE_HEADERS } from '../page';
import { MERGED_PATH } from './merged-reference';

export const REFERENCE = '/reference';
/** Where the console application is led to after a sign-in; the reference reads there what it was given. */
export const CALLBACK = '/console/callback';
/** Beside its version: a browser keeps it for good. */
export const SCALAR = '/front/scalar-1.72.1.js';

/** What it leaves unsaid (scalar-names.mjs). */
export const SCALAR_NAMES = '/front/scalar-names.mjs';

/** Scripts are of this origin alone, and so is all that they ask. Scalar writes style attributes. */
const SECURITY_POLICY = [
  "default-src 'none'", "script-src 'self'", "style-src 'self' 'unsafe-inline'", "img-src 'self' data: blob:", "font-src 'self' data:", "connect-src 'self'", "form-action 'none'", "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');
export const REFERENCE_HEADERS = { ...PAGE_HEADERS, 'Content-Security-Policy': SECURITY_POLICY } as const;
export const SCRIPT_HEADERS = { 'Content-Type': 'text/javascript; charset=utf-8', 'Cache-Control': 'public, max-age=31536000, immutable', 'X-Content-Type-Options': 'nosniff', Vary: 'Accept-Encoding' } as const;

/** Nothing is asked of, and nothing told to, whoever made it. */
const configuration = (baseUrl: string) => ({
  theme: 'none', withDefaultFonts: false, telemetry: false, hideClientButton: true, showDeveloperTools: 'never', agent: { disabled: true }, mcp: { disabled: true }, persistAuth: false, documentDownloadType: 'json',
  defaultOpenAllTags: false, hideModels: false, orderSchemaPropertiesBy: 'preserve',
  authentication: {
    preferredSecurityScheme: 'oauth2',
    securitySchemes: {
      oauth2: {
        flows: {
          authorizationCode: {
            'x-scalar-client-id': 'console', 'x-usePkce': 'SHA-256', 'x-scalar-redirect-uri': baseUrl + CALLBACK, authorizationUrl: `${baseUrl}/passportsvc/api/v2/oauth/authorize`,
            tokenUrl: `${baseUrl}/passportsvc/api/v2/oauth/token`, selectedScopes: ['read', 'write'],
          },
        },
      },
    },
  },
});

/** All operations, and trying them: by Scalar, which is started by what this element says. */
export const referencePage = (baseUrl: string): string => `${head('Reference · Twinyard', [FRONT_CSS])}
<body class="reference">
  <div id="api-reference" data-url="${MERGED_PATH}" data-configuration="${escapeHtml(JSON.stringify(configuration(baseUrl)))}"></div>
  <noscript><p>The reference needs a browser that runs scripts. The document that it shows is <a href="${MERGED_PATH}">${MERGED_PATH}</a>.</p></noscript>
  <script type="module" src="${SCALAR_NAMES}"></script>
  <script src="${SCALAR}"></script>
</body>
</html>
`;

/** Whoever opened the window closes it, when it has read its address. */
export const callbackPage = page('Signed in · Twinyard', `    <section>
      <h1>Signed in</h1>
      <p>This window closes by itself. If it stays open, close it and go back to where you came from.</p>
    </section>`);

/** Where the address says an error (RFC 6749 section 4.1.2.1): of what it says nothing is shown, since anybody can write an address. */
export const refusedPage = page('Not signed in · Twinyard', `    <section>
      <h1>Not signed in</h1>
      <p>The sign-in was refused or given up. Close this window, go back to where you came from, and try again.</p>
    </section>`);

interface Script {
  readonly plain: Buffer;
  readonly packed: Buffer;
}

let script: Promise<Script> | undefined;

/** Read and packed when it is first asked for: 4.3 MB, and 1.2 to those who take gzip. */
export const scalarScript = (): Promise<Script> => (script ??= readScript());

/** The package has it as a text in its module, beside a plug-in of Fastify that is not used here (docs/decisions/0048). */
async function readScript(): Promise<Script> {
  const source = await readFile(require.resolve('@scalar/fastify-api-reference'), 'utf8');
  const [, literal] = /^var standalone_default = (".*");$/m.exec(source) ?? [];
  if (literal === undefined) throw new Error('@scalar/fastify-api-reference no longer has its script where it is looked for');
  const plain = Buffer.from(String(runInNewContext(literal)));
  return { plain, packed: await promisify(gzip)(plain, { level: 9 }) };
}
