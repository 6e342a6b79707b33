// How a student's session is named where others have the name of a key: in words, and without the student's address,
// which only the institution may see.

/** As an expression of SQL, null for what is no session; `ownerId` is who reads it, left out for the operator. */
export const studentName = (sessionId: string, ownerId?: string): string =>
  `(SELECT 'Student ' || right(s.id, 4) || ', ' || e.name FROM edu_sessions s JOIN edu_keys e ON e.id = s.key_id
     WHERE s.id = ${sessionId}${ownerId === undefined ? '' : ` AND s.org_id = ${ownerId}`})`;
