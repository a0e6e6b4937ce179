import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateNotifications1700000000001 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    // Triggers, senders, templates, groups, devices and subscriptions: named records of one namespace with an optimistic lock.
    await runner.query(`
      CREATE TABLE resource (
        id uuid PRIMARY KEY,
        kind text NOT NULL,
        namespace text NOT NULL,
        name text NOT NULL,
        version int NOT NULL,
        body jsonb NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL,
        created_by_id text NOT NULL,
        updated_by_id text NOT NULL
      )`);
    await runner.query('CREATE UNIQUE INDEX resource_name ON resource (kind, namespace, name)');
    await runner.query('CREATE INDEX resource_order ON resource (kind, namespace, created_at, id)');
    await runner.query(`CREATE INDEX resource_group ON resource ((body->'_group'->>'_id')) WHERE kind = 'subscription'`);
    await runner.query(`CREATE INDEX resource_device ON resource ((body->'_device'->>'_id')) WHERE kind = 'subscription'`);
    await runner.query(`
      CREATE TABLE notification (
        id uuid PRIMARY KEY,
        namespace text NOT NULL,
        status text NOT NULL,
        trigger_id uuid NOT NULL,
        event_id uuid NOT NULL,
        event jsonb NOT NULL,
        group_id uuid NOT NULL,
        subscription_id uuid NOT NULL,
        device_id uuid NOT NULL,
        sender_id uuid,
        template_id uuid,
        transport text NOT NULL,
        owner_irn text NOT NULL,
        attempts int NOT NULL DEFAULT 0,
        error text,
        due_at timestamptz NOT NULL,
        created_at timestamptz NOT NULL,
        updated_at timestamptz NOT NULL
      )`);
    // Told once per event, trigger and device, however often the event is delivered to this service.
    await runner.query('CREATE UNIQUE INDEX notification_once ON notification (event_id, trigger_id, device_id)');
    await runner.query(`CREATE INDEX notification_due ON notification (due_at) WHERE status = 'SENDING'`);
    await runner.query('CREATE INDEX notification_device ON notification (device_id, updated_at)');
    await runner.query('CREATE INDEX notification_order ON notification (namespace, created_at, id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE notification');
    await runner.query('DROP TABLE resource');
  }
}
