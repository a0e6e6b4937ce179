const OLDEST = 180_000;

/** `server_version_num` of PostgreSQL. @throws Error for one that lacks `RETURNING old`, before the first write would. */
export function requireSupportedServer(version: string): void {
  if (Number(version) >= OLDEST) return;
  const major = Math.floor(Number(version) / 10_000);
  throw new Error(`Documents need PostgreSQL 18 or newer, and DATABASE_URL leads to ${major}. Give another server, or keep them in MongoDB with MONGO_URL.`);
}
