// A strict reader of CSV after RFC 4180, character by character. It refuses what another program might read
// differently: a missing byte order mark, a cell without quotes, a line that does not end with CR LF.

export function parseCsv(text: string): string[][] {
  if (text.charCodeAt(0) !== 0xfeff) throw new Error('no byte order mark');
  const rows: string[][] = [];
  let row: string[] = [];
  let index = 1;
  const expectNext = (wanted: string): void => {
    if (text.slice(index, index + wanted.length) !== wanted) {
      throw new Error(`${JSON.stringify(wanted)} expected at ${index}`);
    }
    index += wanted.length;
  };
  while (index < text.length) {
    expectNext('"');
    let cell = '';
    for (;;) {
      const close = text.indexOf('"', index);
      if (close === -1) throw new Error('a cell has no end');
      cell += text.slice(index, close);
      index = close + 1;
      if (text[index] !== '"') break;
      cell += '"';
      index += 1;
    }
    row.push(cell);
    if (text[index] === ',') {
      index += 1;
      continue;
    }
    expectNext('\r\n');
    rows.push(row);
    row = [];
  }
  if (row.length > 0) throw new Error('the last line has no end');
  return rows;
}
