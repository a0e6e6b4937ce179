import type { DemoClient } from '../tour/steps/demo-client';

const ROOMS = { ifcClass: 'IfcSpace' };
const SHOWN = { name: 1, longName: 1 };

/** Lines to copy into a shell: a token, and the rooms of the building that the first start has imported. Each is one line, and needs curl and Node, or PowerShell alone. */
export function firstRequests({ API, NAMESPACE, CLIENT_ID, CLIENT_SECRET, SPACES }: DemoClient): { readonly bash: string; readonly powerShell: string } {
  const token = `${API}/passportsvc/api/v2/oauth/token`;
  const items = `${API}/itemsvc/api/v1/nameduseritems/${encodeURIComponent(SPACES)}/relateditems`;
  const query = new URLSearchParams({ nsfilter: NAMESPACE, query: JSON.stringify(ROOMS), project: JSON.stringify(SHOWN) });
  const basic = Buffer.from(`${CLIENT_ID}:${CLIENT_SECRET}`).toString('base64');
  return {
    bash: [
      `TOKEN=$(curl -s -u ${CLIENT_ID}:${CLIENT_SECRET} -d grant_type=client_credentials ${token} | node -p 'JSON.parse(fs.readFileSync(0)).access_token')`,
      `curl -s -H "Authorization: Bearer $TOKEN" -G ${items} ${[...query].map(([name, value]) => `--data-urlencode '${name}=${value}'`).join(' ')}`,
    ].join('\n'),
    powerShell: [
      `$token = (Invoke-RestMethod '${token}' -Method Post -Headers @{ Authorization = 'Basic ${basic}' } -Body @{ grant_type = 'client_credentials' }).access_token`,
      `Invoke-RestMethod '${items}?${query.toString()}' -Headers @{ Authorization = "Bearer $token" } | ConvertTo-Json -Depth 9`,
    ].join('\n'),
  };
}
