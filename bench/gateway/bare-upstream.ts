/** What a service is to the gateway, with nothing behind it: drops the body of a request and answers half a kilobyte. Prints its port. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const ANSWER = JSON.stringify({ _id: 'one', text: 'x'.repeat(500) });

const server = createServer((request, response) => {
  request.resume();
  request.once('end', () => response.setHeader('content-type', 'application/json').end(ANSWER));
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
