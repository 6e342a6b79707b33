// The Date header, written once a second.

const SECOND_MS = 1_000;

let date = '';
let dateSecond = 0;

export function httpDate(): string {
  const nowMs = Date.now();
  const second = Math.floor(nowMs / SECOND_MS);
  if (second !== dateSecond) {
    dateSecond = second;
    date = new Date(nowMs).toUTCString();
  }
  return date;
}
