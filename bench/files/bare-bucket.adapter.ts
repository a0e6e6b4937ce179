import { Readable } from 'node:stream';
import { Client } from 'minio';
import type { BareTransfers } from './transfer-bench';

const BUCKET = 'bare';

/** The S3 by its client alone. */
export class BareBucket implements BareTransfers {
  readonly name = 'the S3 client';

  private constructor(private readonly client: Client) {}

  static async open({ endpoint, accessKey, secretKey }: { readonly endpoint: string; readonly accessKey: string; readonly secretKey: string }): Promise<BareBucket> {
    const { hostname, port, protocol } = new URL(endpoint);
    const client = new Client({ endPoint: hostname, port: Number(port), useSSL: protocol === 'https:', accessKey, secretKey, region: 'us-east-1' });
    if (!(await client.bucketExists(BUCKET))) await client.makeBucket(BUCKET, 'us-east-1');
    return new BareBucket(client);
  }

  async upload(name: string, content: AsyncIterable<Buffer>, size: number): Promise<void> {
    await this.client.putObject(BUCKET, name, Readable.from(content, { objectMode: false }), size);
  }

  async download(name: string): Promise<number> {
    let size = 0;
    for await (const chunk of await this.client.getObject(BUCKET, name)) size += (chunk as Buffer).length;
    return size;
  }

  async stop(): Promise<void> {
    await this.client.removeObject(BUCKET, 'whole');
  }
}
