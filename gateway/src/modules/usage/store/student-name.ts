// The name of a student's session where others have the name of a key: a description without the student's address,
// which only the institution may see.

/** As an SQL expression, null for anything but a session; `ownerId` is the reader, left out for the operator. */
export const studentName = (sessionId: string, ownerId?: string): string =>
  `(SELECT 'Student ' || right(s.id, 4) || ', ' || e.name FROM edu_sessions s JOIN edu_keys e ON e.id = s.key_id
     WHERE s.id = ${sessionId}${ownerId === undefined ? '' : ` AND s.org_id = ${ownerId}`})`;
