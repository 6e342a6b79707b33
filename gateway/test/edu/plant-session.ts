// A student's session that was opened without a mail, for tests of what comes after it.

import { createEduHashes } from '../../src/modules/edu/secrets.ts';
import { rows } from '../identity/rows.ts';

const SECRET = 'test-secret-test-secret-test-secret';

export type PlantedSession = Readonly<{ id: string; keyId: string; token: string; email: string }>;

export async function plantSession(databaseUrl: string, orgId: string): Promise<PlantedSession> {
  const hashes = createEduHashes(SECRET);
  const token = hashes.newToken();
  const mark = crypto.randomUUID().replaceAll('-', '').slice(0, 24);
  const email = `${mark}@uni.example`;
  const [id, keyId] = [`eduses-${mark}`, `edukey-${mark}`];
  await rows(
    databaseUrl,
    `insert into edu_keys (id, org_id, hash, name, prefix, suffix, created_at)
     values ($1, $2, $3, 'planted', 'sk-edu-', '', now())`,
    [keyId, orgId, hashes.key(mark)],
  );
  await rows(
    databaseUrl,
    `insert into edu_sessions (id, org_id, key_id, hash, email, mailbox, student_id, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $5, $6, now(), now() + interval '1 day')`,
    [id, orgId, keyId, hashes.token(token), email, hashes.studentId(orgId, email)],
  );
  return { id, keyId, token, email };
}
