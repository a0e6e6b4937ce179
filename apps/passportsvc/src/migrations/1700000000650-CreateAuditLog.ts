import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `audit_pending` takes an entry in the transaction of what it tells of, without a lock that others wait for; the follower moves it to
 * its place in the chain of its namespace. The triggers refuse everything that an append-only log never does: they hold for the
 * service and for whoever has its password, not for a superuser who switches them off. For that there is `verify`.
 */
export class CreateAuditLog1700000000650 implements MigrationInterface {
  name = 'CreateAuditLog1700000000650';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of [...TABLES, ...INDEXES, ...TRIGGERS]) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE audit_entry, audit_head, audit_pending');
    await runner.query('DROP FUNCTION audit_refuse, audit_refuse_lost, audit_refuse_shorter');
  }
}

const FIELDS = `
  id uuid NOT NULL,
  namespace text NOT NULL,
  at timestamptz(3) NOT NULL,
  by_id text NOT NULL,
  action text NOT NULL,
  irn text NOT NULL,
  address text NOT NULL,
  request_id text NOT NULL,
  details jsonb`;

const TABLES = [
  `CREATE TABLE audit_pending (position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY, ${FIELDS}, UNIQUE (id))`,
  `CREATE TABLE audit_entry (${FIELDS},
     sequence bigint NOT NULL CHECK (sequence > 0),
     previous_hash bytea NOT NULL,
     hash bytea NOT NULL,
     PRIMARY KEY (namespace, sequence), UNIQUE (id))`,
  `CREATE TABLE audit_head (namespace text PRIMARY KEY, sequence bigint NOT NULL, hash bytea NOT NULL)`,
];

/** Each list of the API is one of these read backwards; "C" lets the pattern `filesvc:*` be a range of the second. */
const INDEXES = [
  'CREATE INDEX audit_entry_at ON audit_entry (namespace, at, sequence)',
  'CREATE INDEX audit_entry_irn ON audit_entry (namespace, irn COLLATE "C", at, sequence)',
  'CREATE INDEX audit_entry_by ON audit_entry (namespace, by_id, at, sequence)',
];

const TRIGGERS = [
  `CREATE FUNCTION audit_refuse() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN RAISE EXCEPTION 'the audit log is append-only: % of % is refused', TG_OP, TG_TABLE_NAME; END $$`,
  `CREATE FUNCTION audit_refuse_lost() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF EXISTS (SELECT FROM gone WHERE NOT EXISTS (SELECT FROM audit_entry e WHERE e.id = gone.id)) THEN
       RAISE EXCEPTION 'the audit log is append-only: an entry leaves audit_pending for its chain only';
     END IF;
     RETURN NULL;
   END $$`,
  `CREATE FUNCTION audit_refuse_shorter() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN
     IF NEW.namespace <> OLD.namespace OR NEW.sequence <= OLD.sequence THEN
       RAISE EXCEPTION 'the audit log is append-only: a chain only grows';
     END IF;
     RETURN NEW;
   END $$`,
  'CREATE TRIGGER audit_entry_append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON audit_entry FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse()',
  'CREATE TRIGGER audit_head_append_only BEFORE DELETE OR TRUNCATE ON audit_head FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse()',
  'CREATE TRIGGER audit_head_grows BEFORE UPDATE ON audit_head FOR EACH ROW EXECUTE FUNCTION audit_refuse_shorter()',
  'CREATE TRIGGER audit_pending_append_only BEFORE UPDATE OR TRUNCATE ON audit_pending FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse()',
  `CREATE TRIGGER audit_pending_chained AFTER DELETE ON audit_pending REFERENCING OLD TABLE AS gone
     FOR EACH STATEMENT EXECUTE FUNCTION audit_refuse_lost()`,
];
