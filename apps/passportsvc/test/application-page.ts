import { createServer, type Server } from 'node:http';

/** Where the browser is sent in the end: any page that can be told from ours. */
export async function startApplicationPage(reached: string[], host = '127.0.0.1'): Promise<Server> {
  const server = createServer(({ url }, response) => {
    reached.push(String(url));
    response.setHeader('content-type', 'text/html').end('<!DOCTYPE html><title>The application</title>');
  });
  await new Promise<void>((resolve) => server.listen(0, host, resolve));
  return server;
}
