// Students have no account, so that no page of a user leads to them. Their ids say what they are, and are one for each
// address at an institution.

export const isStudent = (userId: string): boolean => userId.startsWith('student-');

export const studentName = (userId: string): string => `Student ${userId.slice(-4)}`;
