// Students have no account, so no user page links to them. Their ids are recognizable, one for each address at an
// institution.

export const isStudent = (userId: string): boolean => userId.startsWith('student-');

export const studentName = (userId: string): string => `Student ${userId.slice(-4)}`;
