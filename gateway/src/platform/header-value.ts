// The value of a header without the blanks around it. Those of HTTP are spaces and tabs; `trim` would also take others,
// which belong to the value for whoever else reads the message.

export function withoutMargins(value: string): string {
  let start = 0;
  let end = value.length;
  while (start < end && isBlank(value, start)) start += 1;
  while (end > start && isBlank(value, end - 1)) end -= 1;
  return value.slice(start, end);
}

const isBlank = (text: string, at: number): boolean => text[at] === ' ' || text[at] === '\t';
