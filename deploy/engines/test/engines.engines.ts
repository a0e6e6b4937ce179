import { Client as PostgresClient } from 'pg';
import { Kafka, logLevel } from 'kafkajs';
import { Client as S3Client } from 'minio';
import { MongoClient } from 'mongodb';
import { engineSettings, eventually, onEngine } from '@twinyard/testing';

/** For what a busy machine does late, and below the time that the client waits for an answer. */
const BUSY_MS = 25_000;

/** Each engine answers its own driver at the address that the run tells. */
onEngine('mongo', () => {
  it('keeps a document', async () => {
    const client = await MongoClient.connect(engineSettings('mongo').MONGO_URL ?? '');
    const notes = client.db(`test_${process.pid}`).collection<{ _id: number }>('notes');
    await notes.insertOne({ _id: 1 });
    expect(await notes.find().toArray()).toEqual([{ _id: 1 }]);
    await notes.drop();
    await client.close();
  });
});

onEngine('postgres', () => {
  it('asks for its password', async () => {
    const url = new URL(engineSettings('postgres').POSTGRES_URL ?? '');
    const client = new PostgresClient({ connectionString: url.href });
    await client.connect();
    expect((await client.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
    await client.end();
    url.password = 'another';
    const stranger = new PostgresClient({ connectionString: url.href });
    await expect(stranger.connect()).rejects.toThrow(/password/);
  });
});

onEngine('kafka', () => {
  it('makes topics only when it is told to', async () => {
    const kafka = new Kafka({ brokers: (engineSettings('kafka').KAFKA_BROKERS ?? '').split(','), logLevel: logLevel.NOTHING, retry: { retries: 2 } });
    const admin = kafka.admin();
    await admin.connect();
    const topic = `test-${process.pid}`;
    await expect(admin.fetchTopicMetadata({ topics: [topic] })).rejects.toThrow(/does not host this topic/);
    await admin.createTopics({ topics: [{ topic, numPartitions: 3 }], waitForLeaders: false, timeout: BUSY_MS });
    // The broker hears of it after its controller has answered.
    await eventually(async () => expect((await admin.fetchTopicMetadata({ topics: [topic] })).topics[0]?.partitions).toHaveLength(3));
    await admin.deleteTopics({ topics: [topic], timeout: BUSY_MS });
    await admin.disconnect();
  });
});

for (const name of ['versitygw', 'minio'] as const) {
  onEngine(name, () => {
    it('takes an object from who has the key, and from nobody else', async () => {
      const { S3_ENDPOINT = '', S3_ACCESS_KEY = '', S3_SECRET_KEY = '', S3_REGION = '' } = engineSettings(name);
      const { hostname, port } = new URL(S3_ENDPOINT);
      const connect = (secretKey: string) => new S3Client({ endPoint: hostname, port: Number(port), useSSL: false, accessKey: S3_ACCESS_KEY, secretKey, region: S3_REGION });
      const bucket = `test-${process.pid}`;
      const client = connect(S3_SECRET_KEY);
      await client.makeBucket(bucket);
      await client.putObject(bucket, 'a/b', 'content');
      expect((await client.statObject(bucket, 'a/b')).size).toBe(7);
      await expect(connect('another').statObject(bucket, 'a/b')).rejects.toThrow();
      await client.removeObject(bucket, 'a/b');
      await client.removeBucket(bucket);
    });
  });
}
