import type { FilesvcUnderTest } from './filesvc-under-test';

/** What holds of the tables between any two requests, as questions for what breaks it. */
const BROKEN: Readonly<Record<string, string>> = {
  'the tree is not that of the parents': `
    WITH RECURSIVE above (descendant_id, ancestor_id, depth) AS (
      SELECT id, id, 0 FROM file
      UNION ALL SELECT above.descendant_id, file.parent_id, above.depth + 1 FROM above JOIN file ON file.id = above.ancestor_id WHERE file.parent_id IS NOT NULL AND above.depth < 100)
    (SELECT descendant_id, ancestor_id, depth FROM above EXCEPT SELECT descendant_id, ancestor_id, depth FROM file_tree)
    UNION ALL (SELECT descendant_id, ancestor_id, depth FROM file_tree EXCEPT SELECT descendant_id, ancestor_id, depth FROM above)`,
  'a place in the tree has not the position of its file': 'SELECT descendant_id FROM file_tree JOIN file ON id = descendant_id WHERE file.position <> file_tree.position',
  'something lies in what is no folder, or in a namespace that its folder is not in':
    `SELECT file.id FROM file JOIN file parent ON parent.id = file.parent_id WHERE parent.type <> 'dir' OR NOT (file.namespaces <@ parent.namespaces)`,
  'the names that are taken are not those of the files': `
    WITH wanted (place, name, file_id) AS (
      SELECT parent_id::text, name, id FROM file WHERE parent_id IS NOT NULL
      UNION ALL SELECT 'root of ' || namespace, name, id FROM file, unnest(namespaces) AS namespace WHERE parent_id IS NULL)
    (SELECT place, name, file_id FROM wanted EXCEPT SELECT place, name, file_id FROM file_name_slot)
    UNION ALL (SELECT place, name, file_id FROM file_name_slot EXCEPT SELECT place, name, file_id FROM wanted)`,
  'the tip is not the newest version': `
    SELECT file.id FROM file LEFT JOIN LATERAL (SELECT id FROM file_version WHERE file_id = file.id ORDER BY number DESC LIMIT 1) newest ON true WHERE file.tip_id IS DISTINCT FROM newest.id`,
  'a number is not below the next': 'SELECT version.id FROM file_version version JOIN file ON file.id = version.file_id WHERE version.number >= file.next_version',
  'the status is not that of the content': `
    SELECT id FROM file WHERE (type = 'dir' AND (status <> 'UPLOAD_COMPLETED' OR tip_id IS NOT NULL)) OR (type = 'file' AND (status = 'UPLOAD_COMPLETED') <> (tip_id IS NOT NULL))`,
  'a file waits for an upload that is not there': `
    SELECT id FROM file WHERE status IN ('UPLOAD_PENDING', 'UPLOADING') AND NOT EXISTS (SELECT FROM resumable_upload upload WHERE upload.file_id = file.id AND upload.expires_at > now())`,
  'an upload goes on to a file that is not there': 'SELECT id FROM resumable_upload upload WHERE expires_at > now() AND NOT EXISTS (SELECT FROM file WHERE file.id = upload.file_id)',
  'bytes are held and given up at once': 'SELECT key FROM loose_blob JOIN file_version ON blob_key = key',
};

/** What is broken, by what it is called; nothing, when all is well. After a sweep the store holds what versions hold, and no more. */
export async function brokenInvariants(filesvc: FilesvcUnderTest): Promise<Record<string, unknown>> {
  const found: Record<string, unknown> = {};
  for (const [what, sql] of Object.entries(BROKEN)) {
    const rows = await filesvc.query(sql);
    if (rows.length > 0) found[what] = rows;
  }
  await filesvc.sweep();
  const held = (await filesvc.query<{ key: string }>(
    'SELECT blob_key AS key FROM file_version UNION SELECT blob_key FROM resumable_upload UNION SELECT key FROM loose_blob')).map(({ key }) => key);
  const needed = (await filesvc.query<{ key: string }>('SELECT blob_key AS key FROM file_version')).map(({ key }) => key);
  const stored = await filesvc.blobs();
  const orphans = stored.filter((key) => !held.includes(key));
  const lost = needed.filter((key) => !stored.includes(key));
  if (orphans.length + lost.length > 0) found['the store holds something else'] = { orphans, lost };
  return found;
}
